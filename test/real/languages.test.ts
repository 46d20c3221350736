/** Several languages in one session: the very first question goes to all servers at once, and later ones are interleaved. */
import assert from "node:assert/strict";
import { type FixtureName, quickNames } from "../fixture.ts";
import { expectedOf, placesOf, type SymbolFound, symbols } from "./expect.ts";
import { answersAreRight, insert, opened, type Question, questions, textOf, untouched, useOf } from "./questions.ts";
import { missing, serve, withVersions } from "./session.ts";

const present = quickNames.filter((name) => missing(name) === false);

// Not hover, which is asked while one moves: it waits for no server to have loaded its project.
for (const question of ["definition", "references", "rename"] as const) {
  serve(
    `${present.join(", ")}: ${question} is right as the first question of all`,
    present,
    async (session, ...all) => {
      await session.initialize({ capabilities: withVersions });
      const ask: Question = questions[question];
      await Promise.all(
        all.map((workspace, i) => ask(session, workspace, expectedOf(present[i] ?? "typescript"), untouched)),
      );
    },
  );
}

const pairs: readonly (readonly FixtureName[])[] = [
  ["typescript", "python"],
  ["go", "cpp", "rust"],
];

for (const names of pairs) {
  serve(`${names.join(" and ")} in one session, questions and edits interleaved`, names, async (session, ...all) => {
    const { client } = session;
    await session.initialize();
    const stages = all.map((workspace, i) => ({ workspace, server: expectedOf(names[i] ?? "typescript") }));
    const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "record" });
    for (const { workspace, server } of stages) {
      const own = found.filter(({ location }) => location.uri.startsWith(`${workspace.uri}/`));
      assert.deepEqual(symbols(workspace, own), placesOf(workspace, server.symbols, server.method.length));
    }
    await Promise.all(stages.map(({ workspace, server }) => answersAreRight(session, workspace, server, untouched)));
    for (const { workspace, server } of stages) {
      const { uri } = useOf(workspace, server);
      client.open(uri, server.language, textOf(workspace, uri));
      insert(session, uri, 2, server.blank);
    }
    await Promise.all(
      stages.map(({ workspace, server }) =>
        answersAreRight(session, workspace, server, opened(useOf(workspace, server).uri, 2)),
      ),
    );
    const backends = await session.backends();
    assert.deepEqual(
      backends.filter(({ state, restarts }) => state !== "running" || restarts > 0),
      [],
    );
  });
}
