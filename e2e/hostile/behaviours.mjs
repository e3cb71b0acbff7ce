// The behaviour of each kind of upstream (kinds.ts), over stdio (stdio.mjs) or HTTP (http.mjs).
//   lists: the ready JSON text of a list's result, by method
//   ready: begins when the client has finished its handshake, and continues until `peer.closed`
//   call: answers tools/call; default: "fine"
//   answer: answers any other request instead of the usual response; returns true if it did
import { setTimeout as sleep } from "node:timers/promises";

const mega = 1024 * 1024;
const fill = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join();
const tool = (name, schema = '{"type":"object"}') => `{"name":"${name}","inputSchema":${schema}}`;
const tools = (items) => ({ "tools/list": () => `{"tools":[${tool("t")},${items()}]}` });
const resources = (items) => ({ "resources/list": () => `{"resources":[${items()}]}` });
const templates = (items) => ({ "resources/templates/list": () => `{"resourceTemplates":[${items()}]}` });
const notice = (method, params = "{}") => `{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`;
const nested = (levels, inner = "1") => '{"a":'.repeat(levels) + inner + "}".repeat(levels);
const fine = '{"content":[{"type":"text","text":"fine"}]}';

/** Sends at an interval in ms until the peer has closed. */
async function every(ms, peer, send) {
  for (let count = 0; !peer.isClosed; count += 1) {
    await send(count);
    await sleep(ms);
  }
}

/** The text of one repeated piece, `megabytes` long, in writes of 64 KiB. */
async function flood(write, piece, megabytes) {
  const chunk = piece.repeat(Math.ceil(65_536 / piece.length));
  for (let sent = 0; sent < megabytes * mega; sent += chunk.length) await write(chunk);
}

const relatedTask = { "io.modelcontextprotocol/related-task": { taskId: "t" } };
const form = { type: "object", properties: { a: { type: "string", title: "A", enum: ["x"] } }, required: ["a"] };
const messages = [
  { method: "notifications/progress", params: { progressToken: 1, progress: 1, total: 2, message: "m" } },
  { method: "notifications/message", params: { level: "info", logger: "l", data: "d" } },
  { method: "notifications/cancelled", params: { requestId: 1, reason: "r" } },
  { method: "notifications/resources/updated", params: { uri: "a:b" } },
  { method: "notifications/tools/list_changed", params: { _meta: relatedTask } },
  { method: "notifications/elicitation/complete", params: { elicitationId: "e" } },
  {
    method: "notifications/tasks/status",
    params: { taskId: "t", status: "working", ttl: 1, createdAt: "x", lastUpdatedAt: "x" },
  },
  { id: 1, method: "ping", params: { _meta: relatedTask } },
  { id: 2, method: "roots/list", params: { _meta: relatedTask } },
  {
    id: 3,
    method: "elicitation/create",
    params: { mode: "form", message: "m", requestedSchema: form, _meta: relatedTask },
  },
  {
    id: 4,
    method: "elicitation/create",
    params: { mode: "url", message: "m", url: "https://a.b/", elicitationId: "e" },
  },
  {
    id: 5,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "t" } }],
      maxTokens: 1,
      _meta: relatedTask,
      task: { ttl: 1 },
    },
  },
  { id: 6, method: "tasks/get", params: { taskId: "t" } },
  { id: 7, result: { content: [], _meta: relatedTask } },
  { id: 8, error: { code: -32042, message: "m", data: { elicitations: [{ mode: "url", url: "https://a.b/" }] } } },
];
const oddValues = [{ toString: 1 }, [], [null], null, -1, 1.5, true, "", "__proto__", "\ud800"];

/** Every message that a server may send, with each of its members replaced by each odd value in turn. */
function* oddMessages() {
  for (const message of messages) {
    for (const odd of oddValues)
      for (const changed of withEach({ jsonrpc: "2.0", ...message }, odd)) yield JSON.stringify(changed);
  }
}

function* withEach(value, odd) {
  for (const key of Object.keys(value)) {
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copy[key] = odd;
    yield copy;
    if (typeof value[key] !== "object") continue;
    for (const inner of withEach(value[key], odd)) {
      const outer = Array.isArray(value) ? [...value] : { ...value };
      outer[key] = inner;
      yield outer;
    }
  }
}

export const behaviours = {
  good: {},

  // Lists
  "duplicate-uris": { lists: resources(() => fill(60_000, () => '{"uri":"a:b","name":""}')) },
  "brace-template": { lists: templates(() => `{"name":"x","uriTemplate":"${"{".repeat(200_000)}"}`) },
  "one-tool-name": { lists: tools(() => fill(100_000, () => tool("same"))) },
  "many-tools": { lists: tools(() => fill(100_000, (index) => tool(`tool_${index}`))) },
  "many-templates": {
    lists: templates(() => fill(100_000, (index) => `{"name":"x","uriTemplate":"a:${index}/{b}"}`)),
  },
  churn: {
    lists: tools(() => fill(30_000, (index) => tool(`${Date.now()}_${index}_${"x".repeat(100)}`))),
    ready: (peer) => every(50, peer, () => peer.send(notice("tools/list_changed"))),
  },
  "list-changed-flood": {
    // 5,000 a second.
    ready: (peer) => every(10, peer, () => peer.raw(peer.frame(notice("tools/list_changed")).repeat(50))),
  },
  "endless-pages": {
    lists: {
      "tools/list": ({ cursor = "0" } = {}) =>
        `{"tools":[${tool("t")},${tool(`t${cursor}`)}],"nextCursor":"${Number(cursor) + 1}"}`,
    },
  },
  "null-items": {
    lists: tools(() => 'null,1,"t",[],{},{"name":"__proto__"},{"name":"then","inputSchema":null}'),
  },
  "long-instructions": { instructions: "x".repeat(8 * mega) },

  // Schemas
  "cyclic-ref": {
    lists: tools(() =>
      [
        tool("self", '{"type":"object","properties":{"a":{"$ref":"#"}}}'),
        tool(
          "loop",
          '{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
        ),
      ].join(),
    ),
  },
  "deep-schema": {
    lists: tools(() => tool("deep", `${'{"type":"object","properties":{"a":'.repeat(3_000)}{}${"}}".repeat(3_000)}`)),
  },

  // Answers
  "deep-result": {
    ready: (peer) => every(20, peer, () => peer.send(notice("message", `{"level":"info","data":${nested(20_000)}}`))),
    call: (peer, id) => peer.reply(id, `{"content":[],"structuredContent":${nested(20_000)}}`),
  },
  "deep-elicitation": {
    call: (peer) =>
      peer.send(
        `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":${nested(20_000)}}}`,
      ),
  },
  "wrong-ids": {
    async call(peer, id) {
      for (const wrong of ["null", "{}", "[]", "1.5", "true", '"x"', "-1", JSON.stringify(String(id))]) {
        await peer.send(`{"jsonrpc":"2.0","id":${wrong},"result":${fine}}`);
      }
      await peer.end();
    },
  },
  "answers-twice": {
    async call(peer, id) {
      for (let count = 0; count < 1_000; count += 1) await peer.reply(id, fine);
    },
  },
  "progress-flood": {
    async call(peer, id, { _meta = {} }) {
      const token = JSON.stringify(_meta.progressToken ?? null);
      for (let count = 0; count < 60_000; count += 1) {
        await peer.send(notice("progress", `{"progressToken":${token},"progress":${count}}`));
      }
      await peer.reply(id, fine);
    },
  },
  "log-flood": {
    async call(peer, id) {
      for (let count = 0; count < 60_000; count += 1) {
        await peer.send(notice("message", `{"level":"info","logger":"l","data":${count}}`));
      }
      await peer.reply(id, fine);
    },
  },
  "question-flood": {
    async call(peer, id) {
      for (let count = 0; count < 20_000; count += 1) {
        await peer.send(
          `{"jsonrpc":"2.0","id":"q${count}","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
        );
      }
      await peer.reply(id, fine);
    },
  },
  "ping-flood": {
    ready: (peer) =>
      every(20, peer, (count) =>
        peer.raw(peer.frame(`{"jsonrpc":"2.0","id":"p${count}","method":"ping"}`).repeat(100)),
      ),
  },

  "odd-members": {
    async ready(peer) {
      for (const text of oddMessages()) await peer.send(text);
    },
    async call(peer, id) {
      for (const text of oddMessages()) await peer.send(text);
      await peer.reply(id, fine);
    },
  },

  // Bytes
  "long-line": {
    async call(peer, id) {
      await peer.raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"x":"`);
      await flood((chunk) => peer.raw(chunk), "x", 300);
      await peer.raw('"}}\n');
    },
  },
  "data-lines": {
    async call(peer) {
      await peer.openStream();
      await flood((chunk) => peer.raw(chunk), "data:\n", 96);
      await peer.end();
    },
  },
  "endless-body": {
    async call(peer) {
      await peer.openStream("application/json");
      await peer.raw('{"jsonrpc":"2.0","id":1,"result":{"x":"');
      await every(1, peer, () => peer.raw("x".repeat(65_536)));
    },
  },
  "slow-body": {
    async call(peer) {
      await peer.openStream("application/json");
      await every(100, peer, () => peer.raw(" "));
    },
  },
  "comment-flood": {
    async call(peer) {
      await peer.openStream();
      await every(5, peer, () => peer.raw(":\n\n".repeat(10_000)));
    },
  },
  "stderr-flood": { ready: (peer) => every(20, peer, () => peer.stderr("x".repeat(mega / 2))) },
  "stderr-lines": { ready: (peer) => every(20, peer, () => peer.stderr("error: no\n".repeat(5_000))) },
  "junk-flood": {
    ready: (peer) => every(20, peer, () => peer.raw("junk, and no message\n".repeat(10_000))),
  },

  // Presence
  silent: { answer: () => true },
  "silent-calls": { call: () => {} },
  "dies-at-once": { begin: () => process.exit(1) },
  "dies-in-calls": { call: () => process.exit(1) },
  "fails-always": { answer: (peer) => peer.status(500) },
  "redirects-always": { answer: (peer) => peer.status(307, { location: "/mcp" }) },
  "resets-always": { answer: (peer) => peer.reset() },
};

/** Answers one message as an upstream of this kind does. */
export function receive(kind, message, peer) {
  const { id, method, params = {} } = message;
  const { lists = {}, answer, call, ready, instructions } = behaviours[kind];
  if (method === undefined) return undefined;
  if (answer?.(peer, message)) return undefined;
  if (method === "notifications/initialized") return ready?.(peer);
  if (id === undefined) return undefined;
  if (method === "initialize") {
    const capabilities = {
      tools: { listChanged: true },
      logging: {},
      ...((lists["resources/list"] || lists["resources/templates/list"]) && { resources: {} }),
    };
    const serverInfo = { name: kind, version: "1" };
    return peer.reply(id, JSON.stringify({ protocolVersion: "2025-06-18", capabilities, serverInfo, instructions }));
  }
  if (method === "tools/call") return call ? call(peer, id, params) : peer.reply(id, fine);
  if (method === "ping" || method === "logging/setLevel") return peer.reply(id, "{}");
  const usual = {
    "tools/list": `{"tools":[${tool("t")}]}`,
    "resources/list": '{"resources":[]}',
    "resources/templates/list": '{"resourceTemplates":[]}',
  };
  const text = lists[method]?.(params) ?? usual[method];
  return text === undefined ? peer.refuse(id) : peer.reply(id, text);
}
