// What handlers read from `extra` (SDK v1) or from the context of v2.
import type { CallExpression, MemberExpression, Node } from "@babel/types";
import { memberOf, parameterName } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import type { Handler, OfficialFile } from "./official-file.ts";
import { toElicitation } from "./server-calls.ts";

/** Members of the context that Lethe has under another name. */
const renamed: { readonly [member: string]: string } = { _meta: "meta" };

const advice: { readonly [member: string]: string } = {
  sessionId: "a stateless server has no session id: use ctx.caller, or keep state with ctx.session",
  requestId: "ctx has no request id; use ctx.trace for log correlation",
  authInfo: "use ctx.caller, which an authenticator of @lethe/server/auth fills",
  requestInfo: "use ctx.request, or an authenticator that reads headers",
  sendRequest: "use ctx.elicit, ctx.sample or ctx.roots",
  closeSSEStream: "remove it: Lethe closes and resumes streams itself",
  taskStore: 'remove it: declare `task: "optional"` and let the handler run',
};

export function migrateContext(official: OfficialFile, handler: Handler): void {
  const parameter = handler.fn.params[handler.contextIndex];
  if (!parameter) return;
  const name = parameterName(parameter);
  if (name === undefined) {
    checkDestructured(official, parameter);
    return;
  }
  walk(handler.fn.body, (node, ancestors) => {
    if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return;
    const { object, property } = node;
    if (property.type !== "Identifier") return;
    const text = official.file.textOf(object);
    if (text === name || text === `${name}.mcpReq`) migrateMember(official, node as MemberExpression, name, ancestors);
  });
}

function migrateMember(official: OfficialFile, node: MemberExpression, ctx: string, ancestors: readonly Node[]): void {
  const { file } = official;
  const member = file.textOf(node.property);
  const parent = ancestors.at(-1);
  const call = parent?.type === "CallExpression" && parent.callee === node ? parent : undefined;
  if (call && (member === "sendNotification" || member === "notify")) {
    migrateNotification(official, call, ctx);
    return;
  }
  if (call && member === "elicitInput") {
    file.replace(call, toElicitation(official, ctx, call));
    return;
  }
  if (call && member === "requestSampling") {
    file.replace(call, `${ctx}.sample(${call.arguments[0] ? file.textOf(call.arguments[0]) : "{}"})`);
    return;
  }
  if (advice[member] !== undefined) {
    file.find(node, `${ctx}.${member}: ${advice[member]}`);
    return;
  }
  if (member !== "mcpReq") file.replace(node, `${ctx}.${renamed[member] ?? member}`);
}

function checkDestructured({ file }: OfficialFile, parameter: Node): void {
  if (parameter.type !== "ObjectPattern") return;
  for (const property of parameter.properties) {
    const name = property.type === "ObjectProperty" ? file.textOf(property.key) : "";
    if (name !== "signal") file.find(property, `${name}: ${advice[name] ?? "take it from the context of Lethe"}`);
  }
}

/** Progress and log messages are methods of the context. */
function migrateNotification(official: OfficialFile, call: CallExpression, ctx: string): void {
  const { file } = official;
  const method = memberOf(call.arguments[0], "method");
  const params = memberOf(call.arguments[0], "params")?.value;
  const text = (name: string) => {
    const member = memberOf(params, name);
    return member && file.textOf(member.value);
  };
  const kind = method ? file.textOf(method.value).slice(1, -1) : "";
  if (kind === "notifications/progress" && text("progress") !== undefined) {
    const values = [text("progress"), text("total") ?? (text("message") && "undefined"), text("message")];
    file.replace(call, `${ctx}.progress(${values.filter((value) => value !== undefined).join(", ")})`);
    return;
  }
  if (kind === "notifications/message" && text("data") !== undefined) {
    const values = [text("level") ?? '"info"', text("data"), text("logger")];
    file.replace(call, `${ctx}.log(${values.filter((value) => value !== undefined).join(", ")})`);
    return;
  }
  file.find(
    call,
    `use ctx.progress, ctx.log or a method of the server in place of this notification (${kind || "unknown"})`,
  );
}
