// Tests of the matrix of revisions and transports: every combination carries calls, questions, notifications and errors.
import { createServer, ToolError } from "@lethe/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { accept, combinations, type TestTransport, testEverywhere } from "../index.ts";

function createBookings() {
  return createServer({ name: "bookings", version: "1.0.0" }, { keys: `k1:${"A".repeat(43)}` })
    .tool("book", {
      inputSchema: z.object({ room: z.string() }),
      async handler({ room }, ctx) {
        ctx.progress(1, 2, "asking");
        ctx.log("notice", "asking");
        const { guests } = await ctx.elicit("How many guests?", z.object({ guests: z.number() }));
        return `${room} for ${guests}`;
      },
    })
    .tool("fail", {
      handler() {
        throw new ToolError("no rooms left");
      },
    })
    .resource("rooms://all", { name: "rooms", handler: () => "one, two" })
    .prompt("offer", { handler: () => "Offer a room." });
}

const all = combinations(createBookings);

test("there is one combination for each revision and transport", () => {
  expect(all.map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "2026-07-28 over memory",
      "2026-07-28 over http",
      "2026-07-28 over stdio",
      "2025-11-25 over memory",
      "2025-11-25 over http",
      "2025-11-25 over http-session",
      "2025-11-25 over stdio",
      "2025-06-18 over memory",
      "2025-06-18 over http",
      "2025-06-18 over http-session",
      "2025-06-18 over stdio",
      "2025-03-26 over memory",
      "2025-03-26 over http",
      "2025-03-26 over http-session",
      "2025-03-26 over stdio",
      "2024-11-05 over memory",
      "2024-11-05 over http-sse",
      "2024-11-05 over stdio",
    ]
  `);
});

test("a server without older revisions has no combinations for them", () => {
  const server = createServer({ name: "modern", version: "1" }, { legacy: { sessions: "off" } });
  expect(combinations(server).map(({ name }) => name)).toEqual([
    "2026-07-28 over memory",
    "2026-07-28 over http",
    "2026-07-28 over stdio",
  ]);
});

describe.each(all.map((combination) => [combination.name, combination] as const))("%s", (_, { run }) => {
  test("calls, resources, prompts and failures arrive", () =>
    run(async (client, { revision, era }) => {
      expect(client.connection.revision).toBe(revision);
      expect(client.connection.era).toBe(era);
      expect(await client.callTool("fail")).toMatchObject({ isError: true, content: [{ text: "no rooms left" }] });
      expect((await client.readResource("rooms://all")).contents).toMatchObject([{ text: "one, two" }]);
      expect((await client.getPrompt("offer")).messages).toHaveLength(1);
      await expect(client.readResource("rooms://none")).rejects.toThrow();
    }));

  test("progress, log messages and changes are recorded where the revision has them", () =>
    run(async (client, { asks, notifies }) => {
      const call = client.callTool("book", { room: "red" });
      if (asks.includes("elicit")) await expect(call).rejects.toThrow("no answer is left");
      else await call.catch(() => {});
      expect(await client.progress.next()).toMatchObject({ target: "book", progress: 1 });
      if (!notifies) return;
      expect(await client.logs.next(({ data }) => data === "asking")).toMatchObject({ level: "notice" });
      expect((await client.watch()).honoured).toMatchObject({ toolsListChanged: true });
    }));
});

for (const { name, run } of combinations(createBookings, { answers: [accept({ guests: 2 })] }).filter(({ asks }) =>
  asks.includes("elicit"),
)) {
  test(`an elicitation is answered by the script on ${name}`, () =>
    run(async (client) => {
      expect((await client.callTool("book", { room: "red" })).content).toMatchObject([{ text: "red for 2" }]);
    }));
}

test("a caller is seen on every transport except for stdio, which is left out", async () => {
  const server = createServer({ name: "who", version: "1" }).tool("who", { handler: (_, ctx) => `${ctx.caller?.id}` });
  const seen = new Set<TestTransport>();
  await testEverywhere(
    server,
    async (client, { transport }) => {
      seen.add(transport);
      expect((await client.callTool("who")).content).toMatchObject([{ text: "ann" }]);
    },
    { caller: { id: "ann" } },
  );
  expect([...seen].sort()).toEqual(["http", "http-session", "http-sse", "memory"]);
  await server.close();
});

test("a failure names its combinations, and the others still run", async () => {
  const ran: string[] = [];
  const failing = testEverywhere(
    createBookings,
    (_, { name, transport }) => {
      ran.push(name);
      if (transport === "stdio") throw new Error("broken");
    },
    { revisions: ["2026-07-28", "2024-11-05"] },
  );
  await expect(failing).rejects.toThrow(
    "2 of 6 combinations failed:\n2026-07-28 over stdio: broken\n2024-11-05 over stdio: broken",
  );
  expect(ran).toHaveLength(6);
});

test("a server that a function creates is closed after its test, and one that is passed in is not", async () => {
  const made: ReturnType<typeof createBookings>[] = [];
  const create = () => {
    const server = createBookings();
    made.push(server);
    return server;
  };
  await testEverywhere(create, () => {}, { revisions: ["2026-07-28"], transports: ["memory", "http"] });
  for (const server of made) await expect(server.dispatch({} as never, {} as never)).rejects.toThrow("shutting down");
  const kept = createBookings();
  await testEverywhere(kept, () => {}, { transports: ["memory", "http", "http-session", "stdio"] });
  await testEverywhere(kept, async (client) => void (await client.callTool("fail")), { revisions: ["2025-11-25"] });
  await kept.close();
});
