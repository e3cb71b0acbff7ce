// Tests the requests that a client sends, and the responses that it accepts, if the server follows a draft of the specification
// (section I of the requirements).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { expect, onTestFinished, test } from "vitest";

const program = (name: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(name, import.meta.url))],
});

test("a client on stdio receives the changes of a subscription that was acknowledged without _meta (I-12)", async () => {
  const client = await connect(program("draft-server.mjs"));
  onTestFinished(() => client.close());
  const { promise: heard, resolve } = promised<string>();
  const subscription = await client.subscribe({ toolsListChanged: true }, ({ kind }) => resolve(kind));
  expect(subscription.honoured).toEqual({ toolsListChanged: true });
  expect(await heard).toBe("tools");
});

test("a client over HTTP receives the changes of a subscription that was acknowledged without _meta (I-12)", async () => {
  const client = await connect(await startDraftServer());
  onTestFinished(() => client.close());
  const { promise: heard, resolve } = promised<string>();
  await client.subscribe({ toolsListChanged: true }, ({ kind }) => resolve(kind));
  expect(await heard).toBe("tools");
});

test("a client repeats the state member of a legacy server's request in its response (I-22, I-24, I-26)", async () => {
  const client = await connect(program("legacy-state.mjs"), {
    elicit: () => ({ action: "accept", content: { name: "Ann" } }),
  });
  onTestFinished(() => client.close());
  const { content } = await client.callTool("ask", {});
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
    jsonrpc: "2.0",
    id: 100,
    result: { action: "accept", content: { name: "Ann" } },
    state: { a: "b" },
  });
});

test("a client recognizes a modern server by a missing capability error with the draft code (I-2)", async () => {
  const url = await startRefusingServer(-32003, { requiredCapabilities: { elicitation: {} } });
  await expect(connect(url)).rejects.toMatchObject({ code: -32003 });
});

/** The server of `draft-server.mjs`, over HTTP. */
async function startDraftServer(): Promise<URL> {
  return await start((method, id, response) => {
    if (method === "subscriptions/listen") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const params = { notifications: { toolsListChanged: true } };
      response.write(toEvent({ method: "notifications/subscriptions/acknowledged", params }));
      response.write(toEvent({ method: "notifications/tools/list_changed" }));
      return;
    }
    const capabilities = { tools: { listChanged: true } };
    const result = { supportedVersions: ["2026-07-28"], capabilities, serverInfo: { name: "d", version: "1" } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}

async function startRefusingServer(code: number, data: unknown): Promise<URL> {
  return await start((_method, id, response) => {
    const error = { code, message: "missing capability", data };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });
}

type Answer = (method: string, id: unknown, response: import("node:http").ServerResponse) => void;

async function start(answer: Answer): Promise<URL> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { method, id } = JSON.parse(text);
    answer(method, id, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

function toEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

function promised<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
