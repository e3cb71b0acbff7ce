// Two authenticated callers that speak 2025-11-25 to one gateway: sessions, event streams and answers belong to their caller.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createWorld, keyOf, type Name, type Reply, type World } from "./testing/two-callers.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const version = { "mcp-protocol-version": "2025-11-25" };

async function begin(name: Name): Promise<string> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "old", version: "1" },
  };
  const reply = await world.post(name, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = reply.headers.get("mcp-session-id") ?? "";
  expect(session, reply.text).not.toBe("");
  await world.post(name, { jsonrpc: "2.0", method: "notifications/initialized" }, inSession(session));
  return session;
}

const inSession = (session: string) => ({
  headers: { ...version, ...(session !== "" && { "mcp-session-id": session }) },
});

const call = (
  name: Name | undefined,
  session: string,
  tool: string,
  args: object = {},
  id: number | string = 1,
): Promise<Reply> =>
  world.post(
    name,
    { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args } },
    inSession(session),
  );

interface Stream {
  status: number;
  text(): string;
  stop(): void;
}

/** A GET or DELETE, or a POST whose answer is read while it arrives. */
async function open(name: Name | undefined, session: string, init: RequestInit = {}): Promise<Stream> {
  const stop = new AbortController();
  const response = await fetch(world.gateway.served.url, {
    signal: stop.signal,
    ...init,
    headers: {
      ...version,
      accept: init.method === "POST" ? "application/json, text/event-stream" : "text/event-stream",
      ...(name && { authorization: `Bearer ${keyOf[name]}` }),
      ...(session !== "" && { "mcp-session-id": session }),
      ...(init.headers as Record<string, string>),
    },
  });
  let text = "";
  const read = async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  };
  void read().catch(() => {});
  return { status: response.status, text: () => text, stop: () => stop.abort() };
}

const idsIn = (text: string) =>
  [...text.matchAll(/^id: ?(.+)$/gm)].map(([, id]) => id as string).filter((id) => id.trim());

describe("a session", () => {
  let own: Record<Name, string>;
  beforeAll(async () => {
    own = { ann: await begin("ann"), bob: await begin("bob") };
    await call("ann", own.ann, "keeper__remember", { text: "text of ann" });
    await call("bob", own.bob, "keeper__remember", { text: "text of bob" });
  });

  const posts: [string, object][] = [
    ["a call", { id: 7, method: "tools/call", params: { name: "keeper__recall", arguments: {} } }],
    ["a read", { id: 7, method: "resources/read", params: { uri: "keeper://kept" } }],
    ["a list", { id: 7, method: "tools/list" }],
    ["a ping", { id: 7, method: "ping" }],
    ["a subscription", { id: 7, method: "resources/subscribe", params: { uri: "keeper://kept" } }],
    ["a cancellation", { method: "notifications/cancelled", params: { requestId: 1 } }],
    ["an answer", { id: "q1", result: { action: "accept", content: { name: "bob" } } }],
  ];

  it.each(posts)("does not take %s of the other caller", async (_kind, message) => {
    const { status, text } = await world.post("bob", { jsonrpc: "2.0", ...message }, inSession(own.ann));
    expect(status).toBe(404);
    expect(text).not.toContain("text of ann");
  });

  it.each(posts)("does not take %s without credentials", async (_kind, message) => {
    const { status } = await world.post(undefined, { jsonrpc: "2.0", ...message }, inSession(own.ann));
    expect(status).toBe(401);
  });

  it("opens no GET stream for the other caller", async () => {
    expect((await open("bob", own.ann)).status).toBe(404);
    expect((await open(undefined, own.ann)).status).toBe(401);
  });

  it("is not ended by a DELETE of the other caller", async () => {
    expect((await open("bob", own.ann, { method: "DELETE" })).status).toBe(404);
    expect((await open(undefined, own.ann, { method: "DELETE" })).status).toBe(401);
    expect((await call("ann", own.ann, "keeper__recall")).text).toContain("text of ann");
  });

  it("of the other caller looks like one that never existed", async () => {
    const [foreign, invented] = [
      await call("bob", own.ann, "keeper__recall"),
      await call("bob", "1.k1.AAAA", "keeper__recall"),
    ];
    expect([foreign.status, foreign.text]).toEqual([invented.status, invented.text]);
  });

  it("with a changed id does not exist", async () => {
    for (const at of [0, 4, Math.floor(own.ann.length / 2), own.ann.length - 4]) {
      const id = own.ann.slice(0, at) + (own.ann[at] === "A" ? "B" : "A") + own.ann.slice(at + 1);
      expect((await call("ann", id, "keeper__recall")).text, `changed at ${at}`).not.toContain("text of ann");
    }
  });

  it("does not exist at a gateway with other keys", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { status } = await world.post("ann", message, { ...inSession(own.ann), gateway: world.other });
    expect(status).toBe(404);
  });

  it("does not exist on another path", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "recall", arguments: {} } };
    const { text } = await world.post("bob", message, { ...inSession(own.ann), path: "/mcp/keeper" });
    expect(text).not.toContain("text of ann");
  });

  it.each<[Name, Name]>([
    ["ann", "bob"],
    ["bob", "ann"],
  ])("shows %s the caller's own state, and nothing of %s", async (name, other) => {
    const { text } = await call(name, own[name], "keeper__recall");
    expect(text).toContain(`text of ${name}`);
    expect(text).not.toContain(`text of ${other}`);
  });

  it("that a caller has ended itself is over for the caller alone", async () => {
    const [ann, bob] = [await begin("ann"), await begin("bob")];
    expect((await open("ann", ann, { method: "DELETE" })).status).toBeLessThan(300);
    expect((await call("bob", bob, "keeper__recall")).text).toContain("text of bob");
  });
});

describe("an event stream", () => {
  it.each<[Name, Name]>([
    ["ann", "bob"],
    ["bob", "ann"],
  ])("of %s hears of the caller's own resource, and not of a change in the session of %s", async (name, other) => {
    const [own, foreign] = [await begin(name), await begin(other)];
    const stream = await open(name, own);
    const updates = () => stream.text().split("notifications/resources/updated").length - 1;
    try {
      const subscribe = { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "keeper://kept" } };
      await world.post(name, subscribe, inSession(own));
      // The subscription takes effect at the upstream in its own time, so the caller's own changes are repeated until one is heard.
      await vi.waitFor(
        async () => {
          await call(name, own, "keeper__remember", { text: `text of ${name}` });
          if (updates() === 0) throw new Error("nothing heard yet");
        },
        { timeout: 20_000, interval: 100 },
      );
      await call(name, own, "keeper__recall");
      const before = updates();
      for (let index = 0; index < 3; index += 1) await call(other, foreign, "keeper__remember", { text: "other" });
      await call(name, own, "keeper__recall");
      expect(updates()).toBe(before);
    } finally {
      stream.stop();
    }
  });

  it.each<[string, (ids: string[], sessions: { ann: string; bob: string }) => [Name | undefined, string, string]]>([
    ["in the other caller's own session", ([id = ""], { bob }) => ["bob", bob, id]],
    ["with the first caller's session", ([id = ""], { ann }) => ["bob", ann, id]],
    ["without a session", ([id = ""]) => ["bob", "", id]],
    ["without credentials", ([id = ""], { ann }) => [undefined, ann, id]],
    ["from its first event", (ids, { bob }) => ["bob", bob, (ids[0] ?? "").replace(/\d+$/, "0")]],
  ])("is not resumed by the other caller by an event id %s", async (_how, choose) => {
    const sessions = { ann: await begin("ann"), bob: await begin("bob") };
    // A question makes the answer of the call an event stream with ids.
    const asking = await openCall("ann", sessions.ann, "keeper__whoami");
    await vi.waitUntil(() => asking.text().includes("elicitation/create"), { timeout: 20_000 });
    const ids = idsIn(asking.text());
    expect(ids.length).toBeGreaterThan(0);
    const [name, session, id] = choose(ids, sessions);
    const resumed = await open(name, session, { headers: { "last-event-id": id } });
    await call("bob", sessions.bob, "keeper__recall");
    expect(resumed.text()).not.toContain("elicitation/create");
    expect(resumed.text()).not.toContain("Who are you?");
    resumed.stop();
    await answerQuestion("ann", sessions.ann, asking, "ann");
    await vi.waitUntil(() => asking.text().includes("hello ann"), { timeout: 20_000 });
    asking.stop();
  });
});

/** A call whose stream stays open while the server asks. */
function openCall(name: Name, session: string, tool: string, id: number | string = 11): Promise<Stream> {
  const message = { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: {} } };
  return open(name, session, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });
}

function questionIn(stream: Stream): { id: string | number } {
  const line = stream
    .text()
    .split("\n")
    .find((one) => one.startsWith("data:") && one.includes("elicitation/create"));
  return JSON.parse(line?.slice("data:".length) ?? "{}");
}

function answerQuestion(name: Name | undefined, session: string, stream: Stream, text: string): Promise<Reply> {
  const result = { action: "accept", content: { name: text } };
  return world.post(name, { jsonrpc: "2.0", id: questionIn(stream).id, result }, inSession(session));
}

describe("a question", () => {
  let sessions: Record<Name, string>;
  beforeAll(async () => {
    sessions = { ann: await begin("ann"), bob: await begin("bob") };
  });

  it.each<[string, () => [Name | undefined, string]]>([
    ["in the other caller's own session", () => ["bob", sessions.bob]],
    ["with the first caller's session", () => ["bob", sessions.ann]],
    ["without a session", () => ["bob", ""]],
    ["without credentials", () => [undefined, sessions.ann]],
  ])("is not answered by the other caller %s", async (_how, choose) => {
    const asking = await openCall("ann", sessions.ann, "keeper__whoami");
    await vi.waitUntil(() => asking.text().includes("elicitation/create"), { timeout: 20_000 });
    await answerQuestion(...choose(), asking, "mallory");
    await answerQuestion("ann", sessions.ann, asking, "ann");
    await vi.waitUntil(() => asking.text().includes("hello"), { timeout: 20_000 });
    expect(asking.text()).toContain("hello ann");
    expect(asking.text()).not.toContain("mallory");
    asking.stop();
  });

  it("goes to its own caller, also when both calls have the same id", async () => {
    const [ann, bob] = [
      await openCall("ann", sessions.ann, "keeper__whoami"),
      await openCall("bob", sessions.bob, "keeper__whoami"),
    ];
    for (const stream of [ann, bob]) {
      await vi.waitUntil(() => stream.text().includes("elicitation/create"), { timeout: 20_000 });
    }
    await answerQuestion("bob", sessions.bob, bob, "bob");
    await answerQuestion("ann", sessions.ann, ann, "ann");
    await vi.waitUntil(() => ann.text().includes("hello") && bob.text().includes("hello"), { timeout: 20_000 });
    expect([ann.text().includes("hello ann"), bob.text().includes("hello bob")]).toEqual([true, true]);
    expect([ann.text().includes("hello bob"), bob.text().includes("hello ann")]).toEqual([false, false]);
    ann.stop();
    bob.stop();
  });

  it("is not cancelled by the other caller", async () => {
    const asking = await openCall("ann", sessions.ann, "keeper__whoami", 12);
    await vi.waitUntil(() => asking.text().includes("elicitation/create"), { timeout: 20_000 });
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 12 } };
    await world.post("bob", cancel, inSession(sessions.bob));
    await world.post("bob", cancel, inSession(sessions.ann));
    await answerQuestion("ann", sessions.ann, asking, "ann");
    await vi.waitUntil(() => asking.text().includes("hello ann"), { timeout: 20_000 });
    asking.stop();
  });

  it("of a client of today is not answered by an older client of the other caller", async () => {
    const reply = await world.ask("ann", "tools/call", { name: "keeper__whoami", arguments: {} });
    const { requestState, inputRequests } = reply.messages[0].result;
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { name: "mallory" } }]),
    );
    const params = { name: "keeper__whoami", arguments: {}, requestState, inputResponses };
    const attempt = await openCallWith("bob", sessions.bob, params);
    await call("bob", sessions.bob, "keeper__recall");
    expect(attempt.text()).not.toContain("hello mallory");
    attempt.stop();
    const own = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { name: "ann" } }]),
    );
    expect((await world.ask("ann", "tools/call", { ...params, inputResponses: own })).text).toContain("hello ann");
  });
});

function openCallWith(name: Name, session: string, params: object): Promise<Stream> {
  const message = { jsonrpc: "2.0", id: 13, method: "tools/call", params };
  return open(name, session, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });
}
