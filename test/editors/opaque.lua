-- Completes in each file of the task and sends every item back for its details, as a completion menu does:
-- at once, or (`late`) after all the files were completed in.

local editor = dofile(vim.env.EDITOR_SCRIPTS .. 'editor.lua')

local function complete(file)
  local buffer = editor.open(file.path)
  local answer = editor.ask('textDocument/completion', {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = { line = 0, character = 0 },
  })
  return { file = vim.fn.expand('%:t'), items = answer.items or answer }
end

editor.run(function(report)
  editor.start(editor.task.root, { 'lua', 'ruby' })
  report.resolved = {}
  local function resolve(list)
    for _, item in ipairs(list.items) do
      local resolved = editor.ask('completionItem/resolve', item)
      table.insert(report.resolved, { file = list.file, label = resolved.label, detail = resolved.detail })
    end
  end
  local files = editor.task.files
  if editor.task.late then
    for _, list in ipairs(vim.tbl_map(complete, files)) do resolve(list) end
  else
    for _, file in ipairs(files) do resolve(complete(file)) end
  end
  report.exit = editor.stop()
end)
