// Calls on the server object: notifications, and requests to the client.
import type { CallExpression, Node } from "@babel/types";
import { type MethodCall, memberOf } from "../source/syntax.ts";
import { contextName, type Handler, handlerAround, type OfficialFile } from "./official-file.ts";

const changes: { readonly [method: string]: string } = {
  sendToolListChanged: "toolsChanged",
  sendPromptListChanged: "promptsChanged",
  sendResourceListChanged: "resourcesChanged",
};

/** Requests to the client become calls of the context, so they need a handler around them. */
const requests: { readonly [method: string]: (official: OfficialFile, ctx: string, call: CallExpression) => string } = {
  elicitInput: toElicitation,
  createMessage: (official, ctx, call) => `${ctx}.sample(${argumentText(official, call)})`,
  requestSampling: (official, ctx, call) => `${ctx}.sample(${argumentText(official, call)})`,
  listRoots: (_official, ctx) => `${ctx}.roots().then((roots) => ({ roots }))`,
  sendLoggingMessage: toLog,
  getClientCapabilities: (_official, ctx) => `${ctx}.client.capabilities`,
  getClientVersion: (_official, ctx) => `${ctx}.client.info`,
};

/** Rewrites `server.x(…)` and `server.server.x(…)`. */
export function migrateServerCall(official: OfficialFile, found: MethodCall, ancestors: readonly Node[]): void {
  const { file } = official;
  const server = serverOf(official, found.object);
  if (server === undefined) return;
  const { call, method } = found;
  const change = changes[method];
  if (change !== undefined) {
    file.replace(call, `${server}.${change}()`);
    return;
  }
  if (method === "sendResourceUpdated") {
    file.replace(call, `${server}.resourceUpdated(${uriOf(official, call)})`);
    return;
  }
  const request = requests[method];
  if (request === undefined) return;
  const handler = handlerAround(official, ancestors);
  const ctx = handler && contextName(handler);
  if (ctx === undefined) file.find(call, adviceFor(method, handler));
  else file.replace(call, request(official, ctx, call));
}

/** The text of the server of `server` and of `server.server`. */
export function serverOf({ file, servers }: OfficialFile, object: Node): string | undefined {
  const text = file.textOf(object);
  if (servers.has(text)) return text;
  const outer = text.endsWith(".server") ? text.slice(0, -".server".length) : undefined;
  return outer !== undefined && servers.has(outer) ? outer : undefined;
}

function adviceFor(method: string, handler: Handler | undefined): string {
  if (handler) return `${method}: name the context parameter of this handler, and call it there`;
  return `${method}: a request to the client belongs to a call; pass the context of the handler (ctx) to this function`;
}

function argumentText({ file }: OfficialFile, call: CallExpression): string {
  const [first] = call.arguments;
  return first ? file.textOf(first) : "{}";
}

function uriOf(official: OfficialFile, call: CallExpression): string {
  const uri = memberOf(call.arguments[0], "uri");
  return uri ? official.file.textOf(uri.value) : `(${argumentText(official, call)}).uri`;
}

/** tryElicit returns what elicitInput returned: the action, and the content of an accepted form. */
export function toElicitation({ file }: OfficialFile, ctx: string, call: CallExpression): string {
  const [params] = call.arguments;
  const message = memberOf(params, "message");
  const schema = memberOf(params, "requestedSchema");
  const url = memberOf(params, "url");
  if (message && url) return `${ctx}.tryElicitUrl(${file.textOf(message.value)}, ${file.textOf(url.value)})`;
  if (message && schema) return `${ctx}.tryElicit(${file.textOf(message.value)}, ${file.textOf(schema.value)})`;
  const text = params ? file.textOf(params) : "{}";
  return `${ctx}.tryElicit((${text}).message, (${text}).requestedSchema)`;
}

function toLog({ file }: OfficialFile, ctx: string, call: CallExpression): string {
  const [params] = call.arguments;
  const members = ["level", "data", "logger"].map((name) => memberOf(params, name));
  if (members[0] && members[1]) {
    return `${ctx}.log(${members.flatMap((member) => (member ? [file.textOf(member.value)] : [])).join(", ")})`;
  }
  const text = params ? file.textOf(params) : "{}";
  return `${ctx}.log((${text}).level, (${text}).data)`;
}
