// Checks what the suite's scenario tasks-status-notifications describes, which it skips: a client that subscribes to a task with
// subscriptions/listen receives notifications/tasks. Each has the id of the task and its status, and fits the schema of the extension.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const tasks = "io.modelcontextprotocol/tasks";
const id = "own-task-notifications";
const timeoutMs = 20_000;
const schemaFile = new URL("../e2e/wire/schema/tasks-2026-07-28.json", import.meta.url);

/** Writes the result in the form of the suite's own. */
export async function runOwnScenario(url, output) {
  const check = { id, name: id, description: "A subscriber receives notifications/tasks until the task is completed" };
  const result = await checkNotifications(url).then(
    () => ({ status: "SUCCESS" }),
    (error) => ({ status: "FAILURE", errorMessage: String(error?.message ?? error) }),
  );
  const folder = `${output}/${id}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/checks.json`, JSON.stringify([{ ...check, ...result }]));
}

async function checkNotifications(url) {
  const isValid = compileSchema();
  const signal = AbortSignal.timeout(timeoutMs);
  const call = { name: "slow_compute", arguments: { seconds: 2, label: "notified" } };
  const { taskId } = await answerOf(await post(url, "tools/call", call, signal));
  if (typeof taskId !== "string") throw new Error("slow_compute did not become a task");
  const seen = [];
  for await (const { method, params } of messagesOf(
    await post(url, "subscriptions/listen", { notifications: { taskIds: [taskId] } }, signal),
  )) {
    if (method !== "notifications/tasks") continue;
    if (!isValid({ jsonrpc: "2.0", method, params })) throw new Error(`invalid: ${JSON.stringify(isValid.errors)}`);
    if (params.taskId !== taskId) throw new Error(`a notification of another task: ${JSON.stringify(params)}`);
    seen.push(params.status);
    if (params.status === "completed") return;
  }
  throw new Error(`the stream ended before the task was completed; statuses: ${seen.join(", ") || "none"}`);
}

function compileSchema() {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(schemaFile, "utf8")), "tasks");
  return ajv.compile({ $ref: "tasks#/$defs/TaskStatusNotification" });
}

function post(url, method, params, signal) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: id, version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { [tasks]: {} } },
  };
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(params.name && { "mcp-name": params.name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    signal,
  });
}

async function answerOf(response) {
  for await (const { result, error } of messagesOf(response)) {
    if (error) throw new Error(`HTTP ${response.status}: ${error.code} ${error.message}`);
    if (result) return result;
  }
  throw new Error(`HTTP ${response.status} without a result`);
}

/** The messages of a JSON answer or an event stream. Leaving the loop closes the stream. */
async function* messagesOf(response) {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    yield await response.json();
    return;
  }
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) if (/^data: ?\S/.test(line)) yield JSON.parse(line.slice("data:".length));
  }
}
