// Responses that start before their outcome is known, so that a proxy with a short read time-out keeps the connection.
import { toMirroredHeaders } from "@lethe/protocol";
import { afterEach, expect, test } from "vitest";
import type { HttpOptions } from "../http/http-options.ts";
import { type HeldDispatch, holdDispatch } from "../testing/held-dispatch.ts";
import { callOf } from "../testing/messages.ts";
import { type Serving, serve } from "./serve.ts";

let serving: Serving | undefined;
let held: HeldDispatch;
afterEach(() => serving?.close({ graceMs: 0 }));

async function send(accept: string, options: HttpOptions = {}): Promise<Response> {
  held = holdDispatch();
  serving = await serve({ dispatch: held.dispatch }, { port: 0, keepAliveMs: 40, startAfterMs: 40, ...options });
  const body = callOf();
  const headers = { ...toMirroredHeaders(body as never), "content-type": "application/json", accept };
  return fetch(serving.url, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Reads a response to its end. The call finishes after a few signs of life. */
async function readAll(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    if (text.split("\n").length > 4) held.finish();
  }
  return text;
}

test("a slow response starts as an event stream with comments", async () => {
  const response = await send("application/json, text/event-stream");
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(await readAll(response)).toMatch(/^(:\n\n){2,}data: \{"jsonrpc":"2\.0","id":1,"result"/);
});

test("a slow response to a client without event streams starts as JSON after line breaks", async () => {
  const response = await send("application/json");
  expect(response.headers.get("content-type")).toBe("application/json");
  const text = await readAll(response);
  expect(text).toMatch(/^\n\n+\{/);
  expect(JSON.parse(text)).toMatchObject({ id: 1, result: {} });
});

test("an error after the start of a JSON response is its JSON-RPC error", async () => {
  const response = await send("application/json", { requestTimeoutMs: 120 });
  expect(response.status).toBe(200);
  expect(JSON.parse(await response.text())).toMatchObject({ id: 1, error: { code: -32603 } });
});

test("a response does not start before its result by default", async () => {
  const sent = send("application/json, text/event-stream", { startAfterMs: 0 });
  setTimeout(() => held.finish(), 200);
  expect((await sent).headers.get("content-type")).toBe("application/json");
});
