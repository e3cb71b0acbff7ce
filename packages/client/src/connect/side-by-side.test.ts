// Several calls of one client at an older server that does not say which of them asks.
import { isRequest } from "@lethe/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { Handlers, InputRequestContext } from "../interaction/handlers.ts";
import { connectLegacy } from "../legacy/connect-legacy.ts";
import { createFakeLegacyServer } from "../legacy/testing/fake-legacy-server.ts";
import { createClient } from "./create-client.ts";

const form = { message: "name?", requestedSchema: { type: "object", properties: {} } };

async function start(handlers: Handlers) {
  const server = createFakeLegacyServer({ tools: {} });
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" } });
  const client = createClient(connection, "fake", handlers);
  onTestFinished(() => client.close());
  const called = () => server.received.filter(isRequest).flatMap(({ params }) => params?.name ?? []);
  const idOf = async (name: string) =>
    (await server.next((m): m is never => "params" in m && m.params?.name === name)) as { id: number };
  const finish = async (name: string) =>
    server.say({ jsonrpc: "2.0", id: (await idOf(name)).id, result: { content: [] } });
  return { server, client, called, finish };
}

test("calls that handlers answer run concurrently, and a handler learns that the call may be another one", async () => {
  const asked: InputRequestContext[] = [];
  const elicit: Handlers["elicit"] = (_form, context) => {
    asked.push(context);
    return { action: "accept", content: {} };
  };
  const { server, client, called, finish } = await start({ elicit });
  const calls = ["a", "b"].map((name) => client.callTool(name));
  expect(called()).toEqual(["a", "b"]);
  server.ask("s1", "elicitation/create", form);
  await server.nextResponse("s1");
  await finish("a");
  await calls[0];
  await finish("b");
  await calls[1];
  const alone = client.callTool("c");
  server.ask("s2", "elicitation/create", form);
  await server.nextResponse("s2");
  await finish("c");
  await alone;
  expect(asked.map(({ target, isCertain }) => [target, isCertain])).toEqual([
    ["b", false],
    ["c", true],
  ]);
});

test("manual calls that may ask take turns, because their users may differ", async () => {
  const { client, called, finish } = await start({ elicit: () => ({ action: "decline" }) });
  const calls = ["a", "b"].map((name) => client.callTool(name, {}, { manual: true }));
  expect(called()).toEqual(["a"]);
  await finish("a");
  await calls[0];
  await finish("b");
  await calls[1];
  expect(called()).toEqual(["a", "b"]);
});
