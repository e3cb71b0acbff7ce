// Tests of the test client: its script, its records, and its types.
import { createServer } from "@lethe/server";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { accept, cancel, decline, folders, sampled, testClient } from "../index.ts";

const form = z.object({ name: z.string() });

function createGreeter() {
  return createServer({ name: "greeter", version: "1.0.0" })
    .tool("greet", {
      async handler(_, ctx) {
        const answer = await ctx.tryElicit("Your name?", form);
        return answer.action === "accept" ? `Hello ${answer.content.name}!` : answer.action;
      },
    })
    .tool("ask-model", {
      async handler(_, ctx) {
        const { content } = await ctx.sample({
          messages: [{ role: "user", content: { type: "text", text: "A haiku?" } }],
          maxTokens: 10,
        });
        const [first] = [content].flat();
        return first?.type === "text" ? first.text : "";
      },
    })
    .tool("list-roots", { handler: async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join() })
    .tool("add", {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      handler: ({ a, b }, ctx) => {
        ctx.progress(1, 2, "adding");
        ctx.log("info", { a, b });
        return { sum: a + b };
      },
    });
}

test("answers of a script are given in order, and the questions are recorded", async () => {
  await using client = await testClient(createGreeter(), { answers: [accept({ name: "Ann" }), decline(), cancel()] });
  expect((await client.callTool("greet")).content).toMatchObject([{ text: "Hello Ann!" }]);
  expect((await client.callTool("greet")).content).toMatchObject([{ text: "decline" }]);
  expect((await client.callTool("greet")).content).toMatchObject([{ text: "cancel" }]);
  expect(client.questions.map(({ position, message }) => [position, message])).toEqual([
    [1, "Your name?"],
    [2, "Your name?"],
    [3, "Your name?"],
  ]);
});

test("an answer may be a function of the question, and scripts cover sampling and roots", async () => {
  const answers = [
    sampled("Old pond."),
    folders("file:///a"),
    ({ message }: { message: string }) => accept({ name: message }),
  ];
  await using client = await testClient(createGreeter(), { answers });
  expect((await client.callTool("ask-model")).content).toMatchObject([{ text: "Old pond." }]);
  expect((await client.callTool("list-roots")).content).toMatchObject([{ text: "file:///a" }]);
  expect((await client.callTool("greet")).content).toMatchObject([{ text: "Hello Your name?!" }]);
  expect(client.questions[0]?.message).toBe("A haiku?");
});

test("fixed roots answer without using the script", async () => {
  await using client = await testClient(createGreeter(), { roots: [{ uri: "file:///home" }] });
  expect((await client.callTool("list-roots")).content).toMatchObject([{ text: "file:///home" }]);
});

test("a script that runs out fails the call and names the question and its position", async () => {
  const client = await testClient(createGreeter(), { answers: [accept({ name: "Ann" })] });
  await client.callTool("greet");
  await expect(client.callTool("greet")).rejects.toThrow(
    'question 2: elicitation/create "Your name?" of tools/call "greet": no answer is left: the script has 1 answer',
  );
  await client.close();
});

test("an answer of the wrong kind fails the call and says what was expected", async () => {
  const client = await testClient(createGreeter(), { answers: [decline()] });
  await expect(client.callTool("ask-model")).rejects.toThrow(
    'question 1: sampling/createMessage "A haiku?" of tools/call "ask-model": answer 1 is {"action":"decline"}; expected sampled(…)',
  );
  await client.close();
});

test("answers that are left over fail the close and are listed", async () => {
  const client = await testClient(createGreeter(), { answers: [accept({ name: "Ann" }), decline()] });
  await client.callTool("greet");
  await expect(client.close()).rejects.toThrow(
    '1 of 2 scripted answers was not used:\n  answer 2: {"action":"decline"}\nthe server asked:\n  question 1: elicitation/create',
  );
});

test("a client declares only the input requests that its options support", async () => {
  await using client = await testClient(createGreeter(), { supports: ["roots"] });
  await expect(client.callTool("greet")).rejects.toThrow("missing required client capability");
});

test("the server sees the given caller", async () => {
  const server = createServer({ name: "who", version: "1.0.0" }).tool("who", {
    handler: (_, ctx) => `${ctx.caller?.id}`,
  });
  for (const transport of ["memory", "http"] as const) {
    await using client = await testClient(server, { caller: { id: "ann" }, transport });
    expect((await client.callTool("who")).content).toMatchObject([{ text: "ann" }]);
  }
  await expect(testClient(server, { caller: { id: "ann" }, transport: "stdio" })).rejects.toThrow("stdio has one user");
});

test("progress, log messages and changes are recorded and awaited", async () => {
  const server = createGreeter();
  await using client = await testClient(server);
  await client.callTool("add", { a: 1, b: 2 });
  expect(await client.progress.next()).toEqual({ target: "add", progress: 1, total: 2, message: "adding" });
  expect(await client.logs.next(({ level }) => level === "info")).toMatchObject({
    target: "add",
    data: { a: 1, b: 2 },
  });
  await client.watch();
  server.removeTool("greet");
  expect(await client.changes.next()).toMatchObject({ kind: "tools" });
  expect(client.changes.all.length).toBeGreaterThan(0);
});

test("waiting for a notification that does not come fails with those that came", async () => {
  await using client = await testClient(createGreeter(), { waitMs: 1 });
  await client.callTool("add", { a: 1, b: 2 });
  await expect(client.logs.next(({ level }) => level === "error")).rejects.toThrow(
    /no log message that fits arrived within 1 ms; the last that arrived:\n {2}\{"level":"info"/,
  );
});

test("arguments and structured results have the types of the server's tools", async () => {
  await using client = await testClient(createGreeter());
  const result = await client.callTool("add", { a: 1, b: 2 });
  if (!result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number }>();
  expect(result.structuredContent).toEqual({ sum: 3 });
  // @ts-expect-error: the tool takes numbers.
  expect((await client.callTool("add", { a: "1", b: 2 })).isError).toBe(true);
});

test("a revision without the transport, and a transport without the revision, are named", async () => {
  const server = createGreeter();
  await expect(testClient(server, { transport: "http-sse" })).rejects.toThrow(
    "transport: expected one of memory, http, stdio for 2026-07-28, got http-sse",
  );
  const modern = createServer({ name: "modern", version: "1" }, { legacy: { sessions: "off" } });
  await expect(testClient(modern, { revision: "2025-11-25" })).rejects.toThrow("the server does not serve 2025-11-25");
  const newest = createServer({ name: "newest", version: "1" }, { legacy: { revisions: ["2025-11-25"] } });
  await expect(testClient(newest, { revision: "2025-03-26", transport: "stdio" })).rejects.toThrow(
    "the server does not serve 2025-03-26, it answered with 2025-11-25",
  );
});

test("watching changes that the server does not offer fails", async () => {
  await using client = await testClient(createGreeter());
  await expect(client.watch({ promptsListChanged: true })).rejects.toThrow(
    'the server offers none of the changes of {"promptsListChanged":true}',
  );
});
