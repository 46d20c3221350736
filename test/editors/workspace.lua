-- A user at work in several languages of one workspace, through one client. The task lists, for each language, its files
-- and the places in them; the report holds what the editor did there.

local editor = dofile(vim.env.EDITOR_SCRIPTS .. 'editor.lua')

local function definition(l)
  editor.open(l.page)
  editor.go(l.use)
  vim.lsp.buf.definition()
  editor.await('the jump to the definition', function() return vim.fn.expand('%:p') == l.signal end)
  return editor.here()
end

--- The quickfix list that `vim.lsp.buf.references` fills, as "file:line" (1-based), sorted.
local function references(l)
  vim.fn.setqflist({}, 'r')
  vim.cmd('buffer ' .. vim.fn.fnameescape(l.page))
  vim.lsp.buf.references()
  local list = editor.await('references', function()
    local items = vim.fn.getqflist()
    return #items > 0 and items
  end)
  vim.cmd('cclose')
  local places = {}
  for _, item in ipairs(list) do
    table.insert(places, vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t') .. ':' .. item.lnum)
  end
  table.sort(places)
  return places
end

--- Types the beginning of a member access below the use, completes it, resolves the wanted item, takes the line out again.
local function completion(l, page)
  local below = l.use.line + 1
  vim.api.nvim_buf_set_lines(page, below, below, true, { l.typed })
  vim.api.nvim_win_set_cursor(0, { below + 1, #l.typed })
  local answer = editor.ask('textDocument/completion', {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = below, character = #l.typed },
    context = { triggerKind = 1 },
  })
  local found
  for _, item in ipairs(answer.items or answer) do
    if item.label:match('^%w+') == l.member then found = item end
  end
  assert(found, 'no item ' .. l.member)
  local resolved = editor.ask('completionItem/resolve', found)
  vim.api.nvim_buf_set_lines(page, below, below + 1, true, {})
  return { label = found.label, resolved = resolved.label, detail = resolved.detail, data = type(found.data) }
end

--- Renames a function where it is declared; the edit of the page meets a buffer that differs from the disk.
local function rename(l, page)
  local signal = vim.fn.bufnr(l.signal)
  vim.cmd('buffer ' .. signal)
  editor.go(l.shared)
  vim.lsp.buf.rename(l.newName)
  local function has(buffer, text) return editor.lines(buffer):find(text, 1, true) ~= nil end
  editor.await('the rename', function() return has(page, l.newName) and has(signal, l.newName) end)
  local old = l.sharedName .. '('
  return { page = has(page, l.newName .. '(3)'), signal = has(signal, l.newName .. '(x'), left = has(page, old) or has(signal, old) }
end

--- Diagnostics as they come by themselves: of a file with a fault, after it is mended, after it is broken again.
local function diagnostics(l)
  local buffer = editor.open(l.broken)
  local function told() return vim.diagnostic.get(buffer) end
  local first = editor.await('diagnostics after open', function() return #told() > 0 and told() end)
  local line = vim.api.nvim_buf_get_lines(buffer, l.fault, l.fault + 1, true)[1]
  vim.api.nvim_buf_set_lines(buffer, l.fault, l.fault + 1, true, { (line:gsub('"text"', '1')) })
  editor.await('no diagnostics after the repair', function() return #told() == 0 end)
  vim.api.nvim_buf_set_lines(buffer, l.fault, l.fault + 1, true, { line })
  local again = editor.await('diagnostics after the edit', function() return #told() > 0 and told() end)
  return { line = first[1].lnum, severity = first[1].severity, again = again[1].lnum, message = first[1].message }
end

--- By name, in a buffer that has a line more than the disk: asked as a request of its own, and as the command that
--- clients without such requests have.
local function byName(l)
  local buffer = editor.open(l.signal)
  vim.api.nvim_buf_set_lines(buffer, l.above, l.above, true, { l.comment })
  local params = { name = l.address, languages = { l.filetype }, unique = true }
  local found = editor.ask('$/symbolByName', params)
  local twin = editor.ask('workspace/executeCommand', { command = 'switchboard.symbolByName', arguments = { params } })
  local match = found.matches[1]
  return {
    uri = match.location.uri,
    start = match.location.selectionRange.start,
    name = match.qualifiedName,
    matches = #found.matches,
    twin = vim.deep_equal(found.matches, twin.matches),
  }
end

editor.run(function(report)
  local filetypes = vim.tbl_map(function(l) return l.filetype end, editor.task.languages)
  local client = editor.start(editor.task.root, filetypes)
  report.server = client.server_capabilities.experimental or vim.empty_dict()
  report.languages = {}
  for _, l in ipairs(editor.task.languages) do
    local r = {}
    report.languages[l.filetype] = r
    r.definition = definition(l)
    local page = vim.fn.bufnr(l.page)
    vim.cmd('buffer ' .. page)
    editor.go(l.use)
    r.references = references(l)
    -- From here on the buffer has a line more at its top than the disk: only a server that heard of it is right.
    vim.api.nvim_buf_set_lines(page, 0, 0, true, { l.comment })
    editor.go({ line = l.use.line + 1, character = l.use.character })
    r.moved = references(l)
    l.use = { line = l.use.line + 1, character = l.use.character }
    r.completion = completion(l, page)
    r.rename = rename(l, page)
    vim.cmd('silent wall')
    r.diagnostics = diagnostics(l)
    r.byName = byName(l)
  end
  report.status = editor.ask('$/switchboard/status', vim.empty_dict())
  report.pid = client.rpc.pid
  report.clients = #vim.lsp.get_active_clients()
end)
