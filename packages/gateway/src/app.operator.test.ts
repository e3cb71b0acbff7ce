// What operators see of a call with an elicitation, step by step, and what they can do with pending calls and tasks.
import { tasksExtension } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operated, operate } from "./testing/operated.ts";
import { ci, keys } from "./testing/two-upstreams.ts";

const patience = { timeout: 20_000 };
const capabilities = { elicitation: { form: {} } };
let serving: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  const server = createServer({ name: "restaurant", version: "1.0.0" });
  server.tool("book", {
    async handler(_args, ctx) {
      const { hour } = (await ctx.elicit("When?", {
        ...{ type: "object", properties: { hour: { type: "integer" } }, required: ["hour"] },
      })) as { hour: number };
      return `booked for ${hour}`;
    },
  });
  server.tool("ping", { handler: () => "pong" });
  server.tool("hold", {
    handler: (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve)),
  });
  serving = await serve(server, { port: 0 });
});
afterAll(() => serving.close({ graceMs: 0 }));

const start = (more: object = {}, block: object = {}) =>
  operate({
    mcpServers: { up: { url: serving.url } },
    gateway: { auth: { keys }, admin: { bodies: true }, upstreams: { up: { era: "legacy", ...more } }, ...block },
  });

const read = async (gateway: Operated, path: string) => (await gateway.get(`/admin/v1${path}`)).json();
const send = async (gateway: Operated, path: string, body: object = {}) => {
  const headers = { "content-type": "application/json" };
  const url = new URL(`/admin/v1${path}`, gateway.served.url);
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

/** Calls `book` as the caller "ci", until it asks. */
async function book(gateway: Operated) {
  const { body } = await gateway.ask("tools/call", { name: "up__book" }, { key: ci, capabilities });
  expect(body.result.resultType).toBe("input_required");
  const { pendingCalls } = await read(gateway, "/pending-calls");
  const [pending] = pendingCalls;
  const [key = ""] = Object.keys(body.result.inputRequests);
  const retry = (answer: object) =>
    gateway.ask(
      "tools/call",
      { name: "up__book", requestState: body.result.requestState, inputResponses: { [key]: answer } },
      { key: ci, capabilities },
    );
  return { pending, key, retry };
}

describe("an operator", () => {
  it("sees both rounds of a call with an elicitation step by step", async () => {
    await using gateway = await start();
    await read(gateway, "/overview");
    const { retry } = await book(gateway);
    expect((await retry({ action: "accept", content: { hour: 7 } })).body.result.content[0].text).toBe("booked for 7");
    const { exchanges } = await read(gateway, "/exchanges?method=tools/call");
    const [last, first] = await Promise.all(
      exchanges.map(({ id }: { id: string }) => read(gateway, `/exchanges/${id}`)),
    );
    const self = `replica:${last.replica}`;
    const partiesOf = ({ steps }: { steps: { from: string; to: string; kind: string }[] }) =>
      steps.filter(({ kind }) => kind !== "wait").map(({ from, to, kind }) => [kind, from, to]);
    expect(partiesOf(first)).toEqual([
      ["request", "caller", self],
      ["request", self, "upstream:up"],
      ["input", "upstream:up", self],
      ["input", self, "caller"],
    ]);
    expect(partiesOf(last)).toEqual([
      ["answer", "caller", self],
      ["answer", self, "upstream:up"],
      ["response", "upstream:up", self],
      ["response", self, "caller"],
    ]);
    expect(first.steps[0]).toMatchObject({ era: "modern", body: { name: "up__book" } });
    expect(first.steps.find(({ to }: { to: string }) => to === "upstream:up")).toMatchObject({
      ...{ era: "legacy", transport: "streamable-http", body: { name: "book" }, session: expect.any(String) },
    });
    expect(first.related.map(({ id }: { id: string }) => id)).toEqual([last.id]);
  });

  it.each(["modern", "legacy"])(
    "sees the HTTP headers of both sides of a call to a %s server, without keys",
    async (era) => {
      const upstreams = { up: { era } };
      const servers = { up: { url: serving.url, headers: { "x-api-key": "key-of-upstream-0123" } } };
      await using gateway = await operate({ mcpServers: servers, gateway: { auth: { keys }, upstreams } });
      await read(gateway, "/overview");
      await gateway.ask("tools/call", { name: "up__ping" }, { key: ci });
      const { exchanges } = await read(gateway, "/exchanges?method=tools/call");
      const exchange = await read(gateway, `/exchanges/${exchanges[0].id}`);
      const stepOf = (party: "from" | "to", name: string) =>
        exchange.steps.findLast((step: Record<string, unknown>) => step[party] === name && step.kind !== "wait");
      expect(stepOf("from", "caller").headers).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "up__ping" });
      const sent = era === "modern" ? { "mcp-name": "ping" } : { "mcp-session-id": expect.stringMatching(/^.{8}…$/) };
      expect(stepOf("to", "upstream:up").headers).toMatchObject({ "content-type": "application/json", ...sent });
      expect(stepOf("from", "upstream:up")).toMatchObject({
        ...{ status: 200, headers: { "content-type": expect.any(String) } },
      });
      const told = JSON.stringify(exchange).toLowerCase();
      for (const secret of ["authorization", "x-api-key", "key-of-upstream"]) expect(told).not.toContain(secret);
    },
  );

  it("finds no steps of requests that ran while nobody looked", async () => {
    await using gateway = await start();
    await gateway.ask("tools/list", {}, { key: ci });
    const { exchanges } = await read(gateway, "/exchanges");
    expect(await read(gateway, `/exchanges/${exchanges[0].id}`)).toMatchObject({ hasSteps: false, steps: [] });
  });

  it("answers a pending call, whose caller gets the result with its own retry", async () => {
    await using gateway = await start();
    const { pending, key, retry } = await book(gateway);
    expect(pending).toMatchObject({
      ...{ upstream: "up", name: "up__book", method: "tools/call", caller: "key ci" },
      inputRequests: { [key]: { method: "elicitation/create", params: { message: "When?" } } },
    });
    const path = `/pending-calls/${pending.id}/answer`;
    const answer = { action: "accept", content: { hour: 9 } };
    expect(await send(gateway, path, { responses: { [key]: "nine" } })).toMatchObject({ status: 422 });
    expect(await send(gateway, path, { hour: 9 })).toMatchObject({ status: 422 });
    expect(await send(gateway, path, { responses: { [key]: answer } })).toMatchObject({
      status: 200,
      body: { isDone: true },
    });
    expect(await send(gateway, path, { responses: { [key]: answer } })).toMatchObject({ status: 404 });
    expect((await read(gateway, "/pending-calls")).pendingCalls).toEqual([]);
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ event: "admin.answered", upstream: "up", caller: "key ci" }),
    );
    const { result } = (await retry({ action: "decline" })).body;
    expect(result.content[0].text).toBe("booked for 9");
  });

  it("cancels a pending call, whose caller then gets an error", async () => {
    await using gateway = await start();
    const { pending, retry } = await book(gateway);
    expect(await send(gateway, `/pending-calls/${pending.id}/cancel`)).toMatchObject({ status: 200 });
    expect((await retry({ action: "accept", content: { hour: 7 } })).body.error.data.reason).toBe("call_gone");
    expect(await send(gateway, `/pending-calls/${pending.replica}-0123456789ab/cancel`)).toMatchObject({ status: 404 });
  });

  it("needs the admin key also for actions, and is refused before the body is read", async () => {
    await using gateway = await start({}, { admin: { key: "key-of-admin-0123456789" } });
    expect(await send(gateway, "/pending-calls/a-b/answer", { responses: {} })).toMatchObject({ status: 401 });
  });

  it("answers and cancels tasks, and sees what happened to them", async () => {
    await using gateway = await start({ tasks: "auto" }, { tasks: { afterMs: 0 } });
    const options = { key: ci, capabilities: { ...capabilities, extensions: { [tasksExtension]: {} } } };
    await gateway.ask("tools/call", { name: "up__book" }, options);
    const task = async () => (await read(gateway, "/tasks")).tasks[0];
    await expect.poll(async () => (await task()).status, patience).toBe("input_required");
    const { id, inputRequests } = await task();
    const [key = ""] = Object.keys(inputRequests);
    const responses = { [key]: { action: "accept", content: { hour: 8 } } };
    expect(await send(gateway, `/tasks/${id}/answer`, { responses })).toMatchObject({ status: 200 });
    await expect.poll(async () => (await task()).status, patience).toBe("completed");
    const { timeline } = await read(gateway, `/tasks/${id}`);
    expect(timeline.map(({ status }: { status: string }) => status)).toEqual(
      expect.arrayContaining(["input_required", "completed"]),
    );
    expect(await send(gateway, `/tasks/${id}/cancel`)).toMatchObject({ status: 409 });
    await gateway.ask("tools/call", { name: "up__hold" }, options);
    const held = (await read(gateway, "/tasks")).tasks.find(({ tool }: { tool: string }) => tool === "hold");
    expect(await send(gateway, `/tasks/${held.id}/cancel`)).toMatchObject({ status: 200 });
    expect((await read(gateway, `/tasks/${held.id}`)).status).toBe("cancelled");
  });
});
