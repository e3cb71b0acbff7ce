// Two authenticated callers of one gateway: neither sees, continues, answers, cancels or resumes what belongs to the other.
import type { JsonObject } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createWorld, type Name, type PostOptions, type Reply, type World } from "./testing/two-callers.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const call = (
  name: Name | undefined,
  tool: string,
  args: JsonObject = {},
  more: JsonObject = {},
  options?: PostOptions,
) => world.ask(name, "tools/call", { name: tool, arguments: args, ...more }, options);
const resultOf = ({ messages }: Reply) => messages.at(-1)?.result;
const errorOf = ({ messages }: Reply) => messages.at(-1)?.error;
const answers = (name: string) => (keys: object) =>
  Object.fromEntries(Object.keys(keys).map((key) => [key, { action: "accept", content: { name } }]));

describe("what a stateful server keeps for one caller", () => {
  beforeAll(async () => {
    await call("ann", "keeper__remember", { text: "text of ann" });
    await call("ann", "keeper__navigate", { url: "https://ann.example" });
    await call("bob", "keeper__remember", { text: "text of bob" });
    await call("bob", "keeper__navigate", { url: "https://bob.example" });
  });

  const views: [string, (name: Name) => Promise<Reply>][] = [
    ["a tool", (name) => call(name, "keeper__recall")],
    ["another tool", (name) => call(name, "keeper__snapshot")],
    ["the endpoint of the server alone", (name) => call(name, "recall", {}, {}, { path: "/mcp/keeper" })],
    ["a resource", (name) => world.ask(name, "resources/read", { uri: "keeper://kept" })],
    [
      "a resource on the endpoint of the server alone",
      (name) => world.ask(name, "resources/read", { uri: "keeper://kept" }, { path: "/mcp/keeper" }),
    ],
    ["the client info of the other", (name) => call(name, "keeper__recall", {}, {}, { meta: claims[other(name)] })],
    [
      "a header with the name of the other",
      (name) => call(name, "keeper__recall", {}, {}, { headers: spoofed(other(name)) }),
    ],
  ];
  const other = (name: Name): Name => (name === "ann" ? "bob" : "ann");
  const claims: Record<Name, JsonObject> = {
    ann: { "io.modelcontextprotocol/clientInfo": { name: "key ann", version: "1" }, "lethe/session": "key ann" },
    bob: { "io.modelcontextprotocol/clientInfo": { name: "key bob", version: "1" } },
  };
  const spoofed = (name: Name) => ({
    ...{ "x-forwarded-user": name, "x-user": name, "x-caller": `key ${name}`, cookie: `caller=${name}` },
  });

  describe.each<Name>(["ann", "bob"])("shows %s through", (name) => {
    it.each(views)("%s what is the caller's own, and nothing of the other", async (_view, read) => {
      const { text } = await read(name);
      expect(text).toContain(name);
      expect(text).not.toMatch(new RegExp(`text of ${other(name)}|https://${other(name)}`));
    });
  });

  it("is in processes of their own", async () => {
    const pids = await Promise.all(
      (["ann", "bob"] as const).map(async (name) => resultOf(await call(name, "keeper__recall")).structuredContent.pid),
    );
    expect(new Set(pids).size).toBe(2);
  });

  it("is not shown to a request without credentials, or with a wrong key", async () => {
    expect((await call(undefined, "keeper__recall")).status).toBe(401);
    const wrong = { authorization: "Bearer key-of-ann-0123456788" };
    expect((await call(undefined, "keeper__recall", {}, {}, { headers: wrong })).status).toBe(401);
  });

  it("survives a crash of the other's process", async () => {
    await call("bob", "keeper__die").catch(() => {});
    expect((await call("ann", "keeper__recall")).text).toContain("text of ann");
  });
});

interface Question {
  readonly tool: string;
  readonly args: JsonObject;
  readonly state: string;
  readonly keys: object;
}

/** A question that waits for its caller. */
async function ask(name: Name, tool: string, args: JsonObject, options?: PostOptions): Promise<Question> {
  const reply = await call(name, tool, args, {}, options);
  const { requestState, inputRequests } = resultOf(reply) ?? {};
  expect(requestState, reply.text).toEqual(expect.any(String));
  return { tool, args, state: requestState, keys: inputRequests };
}

/** The round that answers it. Members of `changes` replace those of the right round. */
function answer(
  name: Name | undefined,
  { tool, args, state, keys }: Question,
  changes: JsonObject = {},
  options?: PostOptions,
): Promise<Reply> {
  const params = { name: tool, arguments: args, requestState: state, inputResponses: answers(`from ${name}`)(keys) };
  return world.ask(name, "tools/call", { ...params, ...changes }, options);
}

const flip = (text: string, at: number): string => {
  const index = at < 0 ? text.length + at : at;
  return text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);
};

const servers = [
  { kind: "a pending call of a stateful server", tool: "keeper__whoami", args: {}, done: "hello from ann" },
  {
    kind: "a sealed state of a modern server",
    tool: "modern__approve",
    args: { topic: "t" },
    done: "t: approve by from ann",
  },
];

describe.each(servers)("$kind", ({ tool, args, done }) => {
  const swaps: [string, (question: Question) => Promise<Reply>][] = [
    ["another caller", (question) => answer("bob", question)],
    [
      "another caller with the first one's client info",
      (question) =>
        answer(
          "bob",
          question,
          {},
          { meta: { "io.modelcontextprotocol/clientInfo": { name: "key ann", version: "1" } } },
        ),
    ],
    [
      "another tool of the same server",
      (question) => answer("ann", question, { name: tool === "keeper__whoami" ? "keeper__lookup" : "modern__refuse" }),
    ],
    [
      "a tool of another server",
      (question) => answer("ann", question, { name: tool === "keeper__whoami" ? "modern__approve" : "keeper__whoami" }),
    ],
    ["other arguments", (question) => answer("ann", question, { arguments: { topic: "another" } })],
    ["further arguments", (question) => answer("ann", question, { arguments: { ...args, more: 1 } })],
    [
      "another method",
      (question) => {
        const { state, keys } = question;
        const params = { name: "modern__approve", requestState: state, inputResponses: answers("ann")(keys) };
        return world.ask("ann", "prompts/get", params);
      },
    ],
    [
      "a resource",
      (question) =>
        world.ask("ann", "resources/read", { uri: "keeper://kept", requestState: question.state, inputResponses: {} }),
    ],
    [
      "another path",
      (question) =>
        answer("ann", question, { name: tool.split("__")[1] ?? "" }, { path: `/mcp/${tool.split("__")[0]}` }),
    ],
    ["a gateway with other keys", (question) => answer("ann", question, {}, { gateway: world.other })],
    ["another version of the format", (question) => answer("ann", { ...question, state: flip(question.state, 0) })],
    ["another key", (question) => answer("ann", { ...question, state: flip(question.state, 2) })],
    [
      "another nonce",
      (question) => answer("ann", { ...question, state: flip(question.state, question.state.lastIndexOf(".") + 3) }),
    ],
    [
      "a changed ciphertext",
      (question) => answer("ann", { ...question, state: flip(question.state, Math.floor(question.state.length / 2)) }),
    ],
    ["a changed tag", (question) => answer("ann", { ...question, state: flip(question.state, -4) })],
    ["a shortened token", (question) => answer("ann", { ...question, state: question.state.slice(0, -8) })],
    ["a lengthened token", (question) => answer("ann", { ...question, state: `${question.state}AAAA` })],
    ["no credentials", (question) => answer(undefined, question)],
  ];

  it.each(swaps)("is not continued with %s, and its caller still completes it", async (_swap, send) => {
    const question = await ask("ann", tool, args);
    const reply = await send(question);
    const ran = resultOf(reply);
    // An optional further argument or another tool may be refused for itself; what counts is that nothing was continued.
    expect(reply.text).not.toContain(done);
    expect(ran === undefined || ran.isError === true || ran.resultType === "input_required", reply.text).toBe(true);
    expect((await answer("ann", question)).text).toContain(done);
  });

  it("is continued once, and by no later post of the other caller", async () => {
    const question = await ask("ann", tool, args);
    expect((await answer("ann", question)).text).toContain(done);
    expect((await answer("bob", question)).text).not.toContain(done);
  });

  it("does not tell another caller whether its state is valid", async () => {
    const question = await ask("ann", tool, args);
    const [foreign, invented] = [
      await answer("bob", question),
      await answer("bob", { ...question, state: "1.k1.AAAA" }),
    ];
    expect(errorOf(foreign)).toEqual(errorOf(invented));
    await answer("ann", question);
  });

  it("is not answered by a question of the other caller that is open at the same time", async () => {
    const [own, foreign] = [await ask("ann", tool, args), await ask("bob", tool, args)];
    expect((await answer("bob", foreign)).text).toContain("from bob");
    expect((await answer("ann", own)).text).toContain(done);
  });
});

describe("a task", () => {
  const begin = async (name: Name): Promise<string> => {
    const reply = await call(name, "reports__write_report", { title: `title of ${name}`, chapters: 8 });
    const { taskId } = resultOf(reply) ?? {};
    expect(taskId, reply.text).toEqual(expect.any(String));
    return taskId;
  };
  let taskId: string;
  beforeAll(async () => {
    taskId = await begin("ann");
  });
  const unknown = { code: -32602, message: "unknown task" };

  const attempts: [string, (id: string) => Promise<Reply>][] = [
    ["read by the other caller", (id) => world.ask("bob", "tasks/get", { taskId: id })],
    ["updated by the other caller", (id) => world.ask("bob", "tasks/update", { taskId: id, inputResponses: {} })],
    ["cancelled by the other caller", (id) => world.ask("bob", "tasks/cancel", { taskId: id })],
    [
      "read on the endpoint of its server",
      (id) => world.ask("bob", "tasks/get", { taskId: id }, { path: "/mcp/reports" }),
    ],
    [
      "read on the endpoint of another server",
      (id) => world.ask("bob", "tasks/get", { taskId: id }, { path: "/mcp/keeper" }),
    ],
    [
      "read at a gateway with other keys",
      (id) => world.ask("ann", "tasks/get", { taskId: id }, { gateway: world.other }),
    ],
    ["read with a changed id", (id) => world.ask("ann", "tasks/get", { taskId: flip(id, -6) })],
    [
      "read with the id of a state",
      async () => {
        const { state } = await ask("ann", "modern__approve", { topic: "t" });
        return world.ask("ann", "tasks/get", { taskId: state });
      },
    ],
  ];

  it.each(attempts)("is not %s", async (_attempt, send) => {
    const { messages } = await send(taskId);
    expect(messages[0]?.result).toBeUndefined();
    expect([unknown.code, -32601]).toContain(messages[0]?.error.code);
  });

  it("is not read without credentials", async () => {
    expect((await world.ask(undefined, "tasks/get", { taskId })).status).toBe(401);
  });

  it("of the other caller looks like one that never existed", async () => {
    const foreign = await world.ask("bob", "tasks/get", { taskId });
    const invented = await world.ask("bob", "tasks/get", { taskId: "1.k1.AAAA" });
    expect([errorOf(foreign), foreign.status]).toEqual([errorOf(invented), invented.status]);
  });

  it("is not continued as the state of a call", async () => {
    const reply = await call("bob", "modern__approve", { topic: "t" }, { requestState: taskId, inputResponses: {} });
    expect(errorOf(reply)?.code).toBe(-32602);
  });

  it("is not followed by the other caller", async () => {
    const stream = world.listen("bob", { taskIds: [taskId] }, (text) => text.includes("\n\n"));
    await stream.done;
    expect(stream.text()).toContain("acknowledged");
    expect(stream.text()).not.toContain(taskId);
  });

  it("is still the first caller's after all of that", async () => {
    expect(resultOf(await world.ask("ann", "tasks/get", { taskId }))).toMatchObject({ taskId });
    expect(errorOf(await world.ask("ann", "tasks/cancel", { taskId }))).toBeUndefined();
  });
});

describe("a subscription", () => {
  const updates = (text: string) => text.split("notifications/resources/updated").length - 1;

  it.each<[Name, Name]>([
    ["ann", "bob"],
    ["bob", "ann"],
  ])("of %s hears of the caller's own resource, and not of a change in the session of %s", async (own, foreign) => {
    const stream = world.listen(own, { resourceSubscriptions: ["keeper://kept"] }, () => false);
    await vi.waitUntil(() => stream.text().includes("acknowledged"), { timeout: 20_000 });
    for (let index = 0; index < 3; index += 1) await call(foreign, "keeper__remember", { text: `text of ${foreign}` });
    expect(updates(stream.text())).toBe(0);
    await call(own, "keeper__remember", { text: `text of ${own}` });
    await vi.waitUntil(() => updates(stream.text()) > 0, { timeout: 20_000 });
    await call(own, "keeper__recall");
    expect(updates(stream.text())).toBe(1);
    stream.stop();
    await stream.done;
  });

  it("without credentials is refused", async () => {
    const notifications = { resourceSubscriptions: ["keeper://kept"] };
    expect((await world.ask(undefined, "subscriptions/listen", { notifications })).status).toBe(401);
  });
});

describe("a request whose headers name something else than its body", () => {
  const recall = (headers: Record<string, string>) => call("bob", "keeper__recall", {}, {}, { headers });

  it.each<[string, () => Promise<Reply>]>([
    ["another tool", () => recall({ "mcp-name": "keeper__snapshot" })],
    ["another method", () => recall({ "mcp-method": "tools/list" })],
    ["another revision", () => recall({ "mcp-protocol-version": "2025-11-25" })],
    ["no tool", () => recall({ "mcp-name": "" })],
    ["no method", () => recall({ "mcp-method": "" })],
    [
      "another resource",
      () => world.ask("bob", "resources/read", { uri: "keeper://kept" }, { headers: { "mcp-name": "note://a" } }),
    ],
    [
      "another task",
      () => world.ask("bob", "tasks/get", { taskId: "1.k1.AAAA" }, { headers: { "mcp-name": "1.k1.BBBB" } }),
    ],
  ])("(%s) is rejected", async (_name, send) => {
    const { status, messages } = await send();
    expect([status, messages[0]?.result]).toEqual([400, undefined]);
  });

  it("(two keys) is rejected", async () => {
    const headers = { authorization: "Bearer key-of-bob-0123456789, Bearer key-of-ann-0123456789" };
    const { status, messages } = await call(undefined, "keeper__recall", {}, {}, { headers });
    expect([status, messages[0]?.result]).toEqual([400, undefined]);
  });
});

describe("notifications of a call", () => {
  /** Both callers choose the same token and work at the same time. */
  const workTogether = (more: JsonObject) =>
    Promise.all(
      (["ann", "bob"] as const).flatMap((name) =>
        Array.from({ length: 10 }, () =>
          call(
            name,
            "modern__work",
            { topic: `topic of ${name}` },
            {},
            { meta: { progressToken: "same", ...more } },
          ).then((reply) => ({ name, reply })),
        ),
      ),
    );

  it.each([
    ["progress", {}, "progress of topic of"],
    ["log messages", { "io.modelcontextprotocol/logLevel": "debug" }, "log of topic of"],
  ])("(%s) go to its own caller only, also when both use one token", async (_kind, more, words) => {
    for (const { name, reply } of await workTogether(more)) {
      const other = name === "ann" ? "bob" : "ann";
      expect(reply.text).toContain(`${words} ${name}`);
      expect(reply.text).not.toContain(`topic of ${other}`);
    }
  });

  it("(log messages) do not go to a caller that asked for none", async () => {
    for (const { reply } of await workTogether({})) expect(reply.text).not.toContain("log of");
  });

  it("(progress) of a stateful server go to its own caller only", async () => {
    const [ann, bob] = await Promise.all([
      call("ann", "keeper__count", { steps: 3 }, {}, { meta: { progressToken: 1 } }),
      call("bob", "keeper__count", { steps: 5 }, {}, { meta: { progressToken: 1 } }),
    ]);
    const totals = ({ messages }: Reply) => new Set(messages.flatMap(({ params }) => params?.total ?? []));
    expect([totals(ann), totals(bob)]).toEqual([new Set([3]), new Set([5])]);
  });

  it("are not ended by a cancellation of the other caller", async () => {
    const question = await ask("ann", "keeper__whoami", {});
    await world.post("bob", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect((await answer("ann", question)).text).toContain("hello from ann");
  });
});
