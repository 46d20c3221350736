-- What the scripts for a headless Neovim (0.7 on) share: one client for all buffers, waits on facts, and a report.
-- The test gives the name of a file with the task in $EDITOR_TASK and reads what was found from $EDITOR_REPORT.

local M = {}

--- Longest wait for one fact, ms.
local PATIENCE = tonumber(vim.env.EDITOR_PATIENCE or 30000)

local function read(path)
  local file = assert(io.open(path, 'r'))
  local text = file:read('*a')
  file:close()
  return text
end

M.task = vim.json.decode(read(vim.env.EDITOR_TASK))

--- Waits until `met` returns something true and returns that.
function M.await(what, met)
  local got
  local ok = vim.wait(PATIENCE, function()
    got = met()
    return got
  end, 10)
  if not ok then error('waited in vain for ' .. what, 2) end
  return got
end

--- Starts the one client for buffers of these file types, as a user's configuration does; returns once it is initialized.
function M.start(root, filetypes)
  local id = assert(vim.lsp.start_client({
    name = 'switchboard',
    cmd = M.task.command,
    root_dir = root,
    init_options = { switchboard = M.task.options },
    on_exit = function(code, signal) M.exited = { code = code, signal = signal } end,
  }))
  vim.cmd('filetype on')
  vim.api.nvim_create_autocmd('FileType', {
    pattern = filetypes,
    callback = function(event) vim.lsp.buf_attach_client(event.buf, id) end,
  })
  M.client = M.await('initialize', function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.server_capabilities and client
  end)
  return M.client
end

--- Edits a file in the current window; returns its buffer.
function M.open(path)
  vim.cmd('edit ' .. vim.fn.fnameescape(path))
  return vim.api.nvim_get_current_buf()
end

--- One request; returns its result, and raises its error.
function M.ask(method, params, buffer)
  local answer
  local function done(err, result) answer = { err = err, result = result } end
  -- Not buffer 0: Neovim 0.7 then sends the request ahead of edits that it still holds back.
  local sent = M.client.request(method, params, done, buffer or vim.api.nvim_get_current_buf())
  assert(sent, method .. ' was not sent')
  M.await('the answer to ' .. method, function() return answer end)
  if answer.err then error(method .. ': ' .. vim.inspect(answer.err), 2) end
  return answer.result
end

--- Ends the client; returns how its process ended.
function M.stop()
  M.client.stop()
  return M.await('the end of the client', function() return M.exited end)
end

--- Puts the cursor at an LSP position (0-based, UTF-16) of the current buffer.
function M.go(position)
  local line = vim.api.nvim_buf_get_lines(0, position.line, position.line + 1, true)[1]
  vim.api.nvim_win_set_cursor(0, { position.line + 1, vim.str_byteindex(line, position.character, true) })
end

--- Where the cursor is: file name and LSP position.
function M.here()
  local at = vim.api.nvim_win_get_cursor(0)
  local line = vim.api.nvim_get_current_line()
  local _, character = vim.str_utfindex(line, at[2])
  return { file = vim.fn.expand('%:t'), line = at[1] - 1, character = character }
end

function M.lines(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

--- Runs `body(report)`, writes what it reported (or the error that ended it) and quits as a user does.
function M.run(body)
  local report = { notes = {} }
  -- Whatever the editor would show the user belongs into the report.
  vim.notify = function(text) table.insert(report.notes, text) end
  local ok, err = xpcall(function() body(report) end, debug.traceback)
  if not ok then report.failed = tostring(err) end
  local file = assert(io.open(vim.env.EDITOR_REPORT, 'w'))
  file:write(vim.json.encode(report))
  file:close()
  vim.cmd('qall!')
end

return M
