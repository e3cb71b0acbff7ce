// Ten places where secrets of a gateway could appear, searched for seven secrets after two callers have used every server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminKey, createWorld, keyOf, upstreamSecrets, type World } from "./testing/two-callers.ts";

let world: World;
/** By place: all text that is there. */
const found: Record<string, string> = {};
const secrets: Record<string, string> = {
  "the key of the caller": keyOf.ann,
  "the key of the other caller": keyOf.bob,
  "the key of administration": adminKey,
  "a header for a server": upstreamSecrets.header,
  "an environment variable of a server": upstreamSecrets.variable,
};

const privateText = "private text of ann";

beforeAll(async () => {
  world = await createWorld();
  const { ask, gateway, heard, received } = world;
  const call = (name: "ann" | "bob", tool: string, args: object = {}, more: object = {}) =>
    ask(name, "tools/call", { name: tool, arguments: { ...args }, ...more });
  await call("ann", "keeper__remember", { text: privateText });
  const question = (await call("ann", "modern__approve", { topic: "t" })).messages[0].result;
  const inputResponses = {
    [Object.keys(question.inputRequests)[0] ?? ""]: { action: "accept", content: { name: "ann" } },
  };
  await call("ann", "modern__approve", { topic: "t" }, { requestState: question.requestState, inputResponses });
  const task = (await call("ann", "reports__write_report", { title: "t", chapters: 8 })).messages[0].result;
  await ask("ann", "tasks/get", { taskId: task.taskId });
  await ask("ann", "tasks/cancel", { taskId: task.taskId });
  secrets["the state of a question"] = question.requestState;
  secrets["the id of a task"] = task.taskId;

  for (const name of ["ann", "bob"] as const) await call(name, "modern__leak");
  for (const method of ["tools/list", "prompts/list", "resources/list", "server/discover"]) await ask("bob", method);
  await call("bob", "keeper__recall");
  await call("bob", "keeper__unknown");
  await ask("bob", "tasks/get", { taskId: task.taskId });
  await ask("bob", "tools/call", {
    name: "modern__approve",
    arguments: { topic: "t" },
    requestState: question.requestState,
    inputResponses,
  });

  const read = async (path: string, key?: string) => {
    const response = await gateway.get(path, key === undefined ? {} : { authorization: `Bearer ${key}` });
    return JSON.stringify([...response.headers]) + (await response.text());
  };
  found["all that the other caller received"] = heard.bob.join("\n");
  found["the log"] = gateway.log.map((entry) => JSON.stringify(entry)).join("\n");
  found["the metrics"] = await read("/metrics", adminKey);
  found["health and readiness"] = (await read("/healthz")) + (await read("/readyz"));
  found["the card of the gateway"] =
    (await read("/mcp/server-card")) + (await read("/.well-known/mcp/server-card.json"));
  found["administration without its key"] = (await read("/admin")) + (await read("/admin/config", keyOf.bob));
  found["the configuration that operators see"] = await read("/admin/config", adminKey);
  found["the servers that operators see"] =
    (await read("/admin/upstreams", adminKey)) +
    (await read("/admin/upstreams/keeper", adminKey)) +
    (await read("/admin/upstreams/modern", adminKey)) +
    (await read("/admin/sessions", adminKey)) +
    (await read("/admin/tasks", adminKey));
  found["the exchanges that operators see"] = await read("/admin/exchanges?limit=1000", adminKey);
  found["what a server receives"] = [...received].join("\n");
});
afterAll(() => world?.[Symbol.asyncDispose]());

const places = [
  "all that the other caller received",
  "the log",
  "the metrics",
  "health and readiness",
  "the card of the gateway",
  "administration without its key",
  "the configuration that operators see",
  "the servers that operators see",
  "the exchanges that operators see",
  "what a server receives",
];
const names = [...Object.keys(secrets), "the state of a question", "the id of a task"];

describe.each(places)("%s", (place) => {
  it.each(names)("does not contain %s", (name) => {
    const secret = secrets[name] ?? "";
    expect(secret.length).toBeGreaterThan(10);
    expect(found[place]).toEqual(expect.any(String));
    // A server gets the header that is configured for it, and nothing else.
    const text = place === "what a server receives" ? withoutOwnHeader(found[place]) : found[place];
    expect(text).not.toContain(secret);
    expect(text).not.toContain(encodeURIComponent(secret));
  });

  it("has something in it that could", () => {
    expect(found[place]?.length).toBeGreaterThan(20);
  });
});

function withoutOwnHeader(text = ""): string {
  return text
    .split("\n")
    .filter((line) => line !== upstreamSecrets.header)
    .join("\n");
}

it("text of one caller appears only where operators look", () => {
  const seen = places.filter((place) => found[place]?.includes(privateText));
  // The server itself writes it to its stderr.
  expect(seen).toEqual(["the log", "the servers that operators see", "the exchanges that operators see"]);
});
