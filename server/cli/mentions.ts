/** `switchboard mentions IDENT`: every line where an identifier stands outside comments and strings, by its name alone. */
import { isObject } from "../core/settings.ts";
import { type NameMentionsParams, type NameMentionsResult, X } from "../protocol/extensions.ts";
import { failed, printingOf } from "./named.ts";
import { exits, placeOf, textLine } from "./print.ts";
import { inSession, wrong } from "./session.ts";
import type { Run } from "./table.ts";

/** More than anybody reads; what is cut is said. */
const LINES = 1000;

export const run: Run = ([name = ""], options) =>
  inSession(options, async ({ request }) => {
    const printing = printingOf(options);
    const { in: inside, lang, limit = LINES, json, quiet } = options;
    const params: NameMentionsParams = {
      name,
      limit,
      perFile: LINES,
      includeDeclarations: true,
      ...(inside.length > 0 && { in: [...inside] }),
      ...(lang.length > 0 && { languages: [...lang] }),
    };
    const reply = await request(X.nameMentions, params);
    if ("error" in reply) return failed(reply.error, printing);
    if (!isResult(reply.result)) return wrong("the answer has no files");
    const { result } = reply;
    const files = result.files.map((file) => ({
      ...file,
      lines: file.lines.map((line) => {
        const { line: at, column } = placeOf(file.uri, { line: line.line, character: line.columns[0] ?? 0 }, printing);
        return { ...line, line: at, column };
      }),
    }));
    if (json) process.stdout.write(`${JSON.stringify({ ...result, files }, null, 2)}\n`);
    else
      for (const { uri, lines } of result.files)
        for (const { line, columns, text } of lines)
          process.stdout.write(`${textLine(placeOf(uri, { line, character: columns[0] ?? 0 }, printing), text)}\n`);
    const say = (text: string): void => {
      if (!quiet) process.stderr.write(`switchboard: ${text}\n`);
    };
    if (result.total > 0) {
      if (!result.complete) say(`there may be more: ${why(result)}`);
      else if (result.files.length < result.fileCount)
        say(`${result.total} in all; of ${result.fileCount} files ${result.files.length} are shown, see --limit`);
      return exits.found;
    }
    say(
      result.complete
        ? `"${name}" stands nowhere but in comments and strings, if at all`
        : `"${name}" was not found, but ${why(result)}`,
    );
    return result.complete ? exits.absent : exits.incomplete;
  });

function isResult(value: unknown): value is NameMentionsResult {
  return isObject(value) && Array.isArray(value.files);
}

function why({ truncated, coverage }: NameMentionsResult): string {
  if (truncated) return "the list is cut, see --limit";
  const { unparsed } = coverage;
  if (unparsed === 0) return "not every file could be searched";
  return unparsed === 1 ? "one file was not read" : `${unparsed} files were not read`;
}
