// The tracker, with every round of a call at another server object that shares nothing but the keys.
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { type JsonObject, metaKey, modelRevision } from "@lethe/protocol";
import { serveStdio } from "@lethe/server/node";
import { describe, expect, it } from "vitest";
import { type Answer, createWireClient, type Handle, type WireClient } from "../../src/testing/wire-client.ts";
import type { AuditEntry } from "./audit.ts";
import { createTracker } from "./tracker.ts";

const keys = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;

interface Deployment {
  client: WireClient;
  entries: AuditEntry[];
}

/** Requests go to one server after the other. */
function deploy(count: number): Deployment {
  const entries: AuditEntry[] = [];
  const audit = async (entry: AuditEntry) => void entries.push(entry);
  const servers = Array.from({ length: count }, () => createTracker({ keys, audit }));
  let turn = 0;
  const handle: Handle = (request) => {
    turn += 1;
    return (servers[turn % count] as (typeof servers)[0]).fetch(request);
  };
  return { client: createWireClient(handle), entries };
}

/** Gives the responses in turn, and records the input requests. */
function userWith(...answers: JsonObject[]): {
  asked: string[];
  answer: (key: string, question: JsonObject) => unknown;
} {
  const asked: string[] = [];
  return {
    asked,
    answer(_, { params }) {
      asked.push((params as { message: string }).message);
      return { action: "accept", content: answers.shift() };
    },
  };
}

function dataOf({ result }: Answer): unknown {
  return result?.structuredContent;
}

describe("resolve_bug", () => {
  it("resolve_bug elicits a resolution and resolves the bug", async () => {
    const { client, entries } = deploy(1);
    const user = userWith({ resolution: "Fixed" });
    const answer = await client.converse("resolve_bug", { id: 1 }, user.answer);
    expect(dataOf(answer)).toMatchObject({ id: 1, state: "resolved", resolution: "Fixed" });
    expect(user.asked).toEqual(["How was bug #1 resolved? (The river floods the archive)"]);
    expect(entries).toEqual([{ bug: 1, resolution: "Fixed", at: expect.any(String) }]);
    expect(dataOf(await client.callTool("get_bug", { id: 1 }))).toMatchObject({ state: "resolved" });
    expect(dataOf(await client.callTool("list_bugs"))).toMatchObject({
      bugs: [{ id: 1, state: "resolved" }, {}, {}, {}],
    });
  });

  it("resolve_bug elicits the original of a duplicate, handles each round at another server, and audits once (E-31)", async () => {
    const { client, entries } = deploy(3);
    const user = userWith({ resolution: "Duplicate" }, { duplicateOf: 1 });
    const answer = await client.converse("resolve_bug", { id: 3 }, user.answer);
    expect(dataOf(answer)).toMatchObject({ id: 3, resolution: "Duplicate", duplicateOf: 1 });
    expect(user.asked).toHaveLength(2);
    expect(entries).toMatchObject([{ bug: 3, resolution: "Duplicate" }]);
  });

  it("resolve_bug elicits again with the problem if the original does not exist", async () => {
    const { client, entries } = deploy(2);
    const user = userWith({ resolution: "Duplicate" }, { duplicateOf: 3 }, { duplicateOf: 1 });
    const answer = await client.converse("resolve_bug", { id: 3 }, user.answer);
    expect(dataOf(answer)).toMatchObject({ duplicateOf: 1 });
    expect(user.asked[2]).toContain("the number of another bug is needed");
    expect(entries).toHaveLength(1);
  });

  it("a declined elicitation leaves the bug open (E-87)", async () => {
    const { client, entries } = deploy(1);
    const { result } = await client.converse("resolve_bug", { id: 1 }, () => ({ action: "decline" }));
    expect(result).toMatchObject({ isError: true, content: [{ text: "the user declined to answer" }] });
    expect(entries).toEqual([]);
    expect(dataOf(await client.callTool("get_bug", { id: 1 }))).toMatchObject({ state: "open" });
  });

  it("an unknown bug is a tool error (E-70)", async () => {
    const { client } = deploy(1);
    const { result } = await client.callTool("resolve_bug", { id: 99 });
    expect(result).toMatchObject({ isError: true, content: [{ text: "there is no bug #99" }] });
  });

  it("concurrent calls keep their input responses separate (E-26)", async () => {
    const { client, entries } = deploy(3);
    const resolutions = ["Fixed", "Duplicate", "By Design", "Duplicate"];
    const answers = await Promise.all(
      resolutions.map((resolution, index) => {
        const user = userWith({ resolution }, { duplicateOf: 1 + ((index + 1) % 4) });
        return client.converse("resolve_bug", { id: index + 1 }, user.answer);
      }),
    );
    expect(answers.map(dataOf)).toMatchObject([
      { id: 1, resolution: "Fixed" },
      { id: 2, resolution: "Duplicate", duplicateOf: 3 },
      { id: 3, resolution: "By Design" },
      { id: 4, resolution: "Duplicate", duplicateOf: 1 },
    ]);
    expect(entries.map(({ bug }) => bug).sort()).toEqual([1, 2, 3, 4]);
  });

  it("posting the last round five times has one effect, and each post gets the result (E-28)", async () => {
    const { client, entries } = deploy(1);
    const { result: asked } = await client.callTool("resolve_bug", { id: 1 });
    const [key = ""] = Object.keys(asked?.inputRequests as JsonObject);
    const answerWith = (resolution: string) => ({
      inputResponses: { [key]: { action: "accept", content: { resolution } } },
      requestState: asked?.requestState,
    });
    const post = () => client.callTool("resolve_bug", { id: 1 }, answerWith("Fixed"));
    const posts = [...(await Promise.all([post(), post()])), await post(), await post(), await post()];
    expect(posts.map(dataOf)).toMatchObject(Array(5).fill({ id: 1, resolution: "Fixed" }));
    expect(entries).toHaveLength(1);
    const { error } = await client.callTool("resolve_bug", { id: 1 }, answerWith("Won't Fix"));
    expect(error).toMatchObject({ code: -32602, data: { reason: "already_answered" } });
    expect(dataOf(await client.callTool("get_bug", { id: 1 }))).toMatchObject({ resolution: "Fixed" });
  });

  it("the tracker runs unchanged over stdio", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const serving = serveStdio(createTracker({ keys, audit: async () => {} }), { input, output });
    const lines = createInterface({ input: output })[Symbol.asyncIterator]();

    async function callTool(more: JsonObject): Promise<JsonObject> {
      const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: { elicitation: {} } };
      const params = { name: "resolve_bug", arguments: { id: 2 }, ...more, _meta };
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
      return JSON.parse((await lines.next()).value).result;
    }

    let round = await callTool({});
    for (const content of [{ resolution: "Duplicate" }, { duplicateOf: 4 }]) {
      const [key = ""] = Object.keys(round.inputRequests as JsonObject);
      const inputResponses = { [key]: { action: "accept", content } };
      round = await callTool({ inputResponses, requestState: round.requestState });
    }
    expect(round.structuredContent).toMatchObject({ id: 2, resolution: "Duplicate", duplicateOf: 4 });
    input.end();
    await serving;
  });
});
