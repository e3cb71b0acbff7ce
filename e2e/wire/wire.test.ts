// Validates every message of Lethe servers against the schema of the specification.
import { type JsonObject, metaKey, tasksExtension } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createFixture } from "../../conformance/src/fixture.ts";
import { server as authorization } from "../../examples/src/authorization.ts";
import { server as middleware } from "../../examples/src/middleware.ts";
import { server as progress } from "../../examples/src/progress-and-logging.ts";
import { server as prompts } from "../../examples/src/prompts.ts";
import { server as rawInteraction } from "../../examples/src/raw-interaction.ts";
import { server as resources } from "../../examples/src/resources.ts";
import { server as subscriptions } from "../../examples/src/subscriptions.ts";
import { createWireClient, type WireClient, type WireClientOptions } from "../../examples/src/testing/wire-client.ts";
import { server as tools } from "../../examples/src/tools.ts";
import { createTracker } from "../../examples/tracker/src/tracker.ts";
import { driveServer } from "./drive-server.ts";
import { createMessageCheck } from "./wire-schema.ts";

const check = createMessageCheck();

/** The received messages and their problems. */
interface Record {
  /** Methods of requests with a result, of notifications, and codes of errors. */
  readonly seen: Set<unknown>;
  readonly problems: string[];
  onMessage(message: JsonObject, method: string): void;
}

function createRecord(): Record {
  const seen = new Set<unknown>();
  const problems: string[] = [];
  return {
    seen,
    problems,
    onMessage(message, method) {
      const error = message.error as JsonObject | undefined;
      seen.add(message.method ?? error?.code ?? method);
      const wrong = check(message, method);
      if (wrong.length > 0) problems.push(`${JSON.stringify(message)}\n  ${wrong.join("\n  ")}`);
    },
  };
}

/** For a machine that is busy. */
const patience = { timeout: 20_000 };
const everyMessage = { progressToken: "p", [metaKey.logLevel]: "debug" };

describe("the conformance fixture sends only valid messages", () => {
  const record = createRecord();
  const fixture = createFixture();
  const clientOf = (options: WireClientOptions = {}): WireClient =>
    createWireClient(fixture.fetch, { meta: everyMessage, onMessage: record.onMessage, ...options });

  it("the conformance fixture sends only valid messages for every request", async () => {
    const { result } = await clientOf().ask("tools/list");
    const tools = result?.tools as { name: string; inputSchema: JsonObject }[];
    const inputSchemas = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    await driveServer(clientOf({ inputSchemas }));
    expect(record.problems).toEqual([]);
  });

  it("the conformance fixture sends only valid messages on a subscription until its end", async () => {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["test://watched-resource"],
    };
    const stream = clientOf().listen(notifications);
    await stream.next();
    fixture.toolsChanged();
    fixture.promptsChanged();
    fixture.resourcesChanged();
    fixture.resourceUpdated("test://watched-resource");
    for (let count = 0; count < 4; count += 1) await stream.next();
    await fixture.close();
    for await (const _ of stream);
    expect(record.problems).toEqual([]);
  });

  it("the conformance fixture sends only valid messages for tasks in every state", async () => {
    const open = createFixture();
    const capabilities = { elicitation: {}, extensions: { [tasksExtension]: {} } };
    const client = createWireClient(open.fetch, { capabilities, onMessage: record.onMessage });
    const start = async (name: string, args: JsonObject = {}): Promise<string> =>
      String((await client.callTool(name, args)).result?.taskId);
    const statusOf = async (taskId: string) => (await client.ask("tasks/get", { taskId })).result?.status;

    const asking = await start("confirm_delete", { filename: "x" });
    await vi.waitFor(async () => expect(await statusOf(asking)).toBe("input_required"), patience);
    const stream = client.listen({ taskIds: [asking] });
    await stream.next();
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    await client.ask("tasks/update", { taskId: asking, inputResponses });
    await vi.waitFor(async () => expect(await statusOf(asking)).toBe("completed"), patience);
    const broken = await start("protocol_error_job");
    await vi.waitFor(async () => expect(await statusOf(broken)).toBe("failed"), patience);
    const slow = await start("slow_compute", { seconds: 60 });
    expect(await statusOf(slow)).toBe("working");
    await client.ask("tasks/cancel", { taskId: slow });
    expect(await statusOf(slow)).toBe("cancelled");
    await open.close();
    for await (const _ of stream);
    expect(record.problems).toEqual([]);
  });

  it("the conformance fixture sends only valid messages when it rejects a request", async () => {
    const open = createFixture();
    const options = { onMessage: record.onMessage };
    const client = createWireClient(open.fetch, options);
    await client.callTool("no_such_tool");
    await client.ask("no/such_method");
    await client.ask("resources/read", { uri: "test://no-such-resource" });
    await client.callTool("test_x_mcp_header", { region: "north" });
    await createWireClient(open.fetch, { ...options, capabilities: {} }).callTool("test_missing_capability");
    const meta = { [metaKey.protocolVersion]: "1999-01-01" };
    await createWireClient(open.fetch, { ...options, meta }).ask("tools/list");
    for (const body of ["{", "[]", "{}"]) {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const answer = await open.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
      record.onMessage((await answer.json()) as JsonObject, "");
    }
    expect(record.problems).toEqual([]);
  });

  it("the tests of the conformance fixture cover every method, notification and error of the core and of tasks", () => {
    expect([...record.seen].map(String).sort()).toEqual(
      [
        ..."server/discover tools/list tools/call prompts/list prompts/get completion/complete".split(" "),
        ..."resources/list resources/templates/list resources/read subscriptions/listen".split(" "),
        ..."notifications/progress notifications/message notifications/subscriptions/acknowledged".split(" "),
        ..."notifications/tools/list_changed notifications/prompts/list_changed".split(" "),
        ..."notifications/resources/list_changed notifications/resources/updated".split(" "),
        ..."tasks/get tasks/update tasks/cancel notifications/tasks".split(" "),
        ..."-32700 -32600 -32601 -32602 -32020 -32021 -32022".split(" "),
      ].sort(),
    );
  });
});

describe("an example sends only valid messages", () => {
  const tracker = createTracker({ audit: async () => {} });
  const token = "the-key-of-a-writer";
  const examples = {
    authorization,
    middleware,
    progress,
    prompts,
    rawInteraction,
    resources,
    subscriptions,
    tools,
    tracker,
  };

  it.each(Object.entries(examples))("the example of %s sends only valid messages", async (_, { fetch }) => {
    const { seen, problems, onMessage } = createRecord();
    await driveServer(createWireClient(fetch, { meta: everyMessage, token, onMessage }));
    expect(seen).toContain("server/discover");
    expect(problems).toEqual([]);
  });
});

describe("the schema check", () => {
  const discover = { jsonrpc: "2.0", id: 1 };

  it.each<[string, JsonObject]>([
    ["a result without what its method needs", { ...discover, result: { resultType: "complete" } }],
    ["an error without what its code needs", { ...discover, error: { code: -32022, message: "unsupported" } }],
    ["a notification without its params", { jsonrpc: "2.0", method: "notifications/progress" }],
    ["a notification that there is not", { jsonrpc: "2.0", method: "notifications/other" }],
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 1, error: { code: -32602, message: "wrong" } }],
  ])("the schema check finds %s", (_, message) => {
    expect(check(message, "server/discover")).not.toEqual([]);
  });

  it("the schema check accepts fractions and null, which the published schema omits (J-70)", () => {
    const notification = { jsonrpc: "2.0", method: "notifications/message" };
    expect(check({ ...notification, params: { level: "info", data: { a: 1.5, b: null } } }, "tools/call")).toEqual([]);
  });
});
