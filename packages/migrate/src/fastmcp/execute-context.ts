// The second parameter of `execute`: log, progress and elicitation.
import type { CallExpression, Node, ObjectPattern } from "@babel/types";
import { endOf, type SourceFile, startOf } from "../source/source-file.ts";
import { isFunction, type MethodCall, memberOf, parameterName, toMethodCall } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import { findMember } from "./definition.ts";

const levels: { readonly [method: string]: string } = { debug: "debug", info: "info", warn: "warning", error: "error" };

const advice: { readonly [member: string]: string } = {
  session: "session: use ctx.caller, which an authenticator of @lethe/server/auth fills",
  sessionId: "a stateless server has no session id: use ctx.caller, or keep state with ctx.session",
  requestId: "ctx has no request id; use ctx.trace for log correlation",
  streamContent: "streamContent is not part of MCP: return the content, or use ctx.progress with a message",
};

export function migrateExecuteContext(file: SourceFile, { call }: MethodCall): void {
  const execute = findMember(call.arguments[0], "execute");
  const fn = execute?.type === "ObjectProperty" ? execute.value : execute;
  const isMethod = fn?.type === "ObjectMethod";
  if (!fn || !(isFunction(fn) || isMethod)) return;
  const parameter = fn.params[1];
  if (parameter?.type === "ObjectPattern") {
    migrateDestructured(file, fn.body, parameter);
    return;
  }
  const ctx = parameterName(parameter);
  if (ctx !== undefined) migrateUses(file, fn.body, { ctx, prefix: `${ctx}.` });
}

/** `{ log, reportProgress }` becomes `ctx`, and its members are read from there. */
function migrateDestructured(file: SourceFile, body: Node, pattern: ObjectPattern): void {
  const end = pattern.typeAnnotation ? startOf(pattern.typeAnnotation) : endOf(pattern);
  file.replaceBetween(startOf(pattern), end, "ctx");
  const names = pattern.properties.flatMap((property) =>
    property.type === "ObjectProperty" && property.value.type === "Identifier" ? [property.value.name] : [],
  );
  migrateUses(file, body, { ctx: "ctx", prefix: "" });
  walk(body, (node, ancestors) => {
    if (node.type !== "Identifier" || !names.includes(node.name)) return;
    const parent = ancestors.at(-1);
    if (parent?.type === "MemberExpression" && parent.property === node && !parent.computed) return;
    if (parent?.type === "ObjectProperty" && parent.key === node && !parent.shorthand) return;
    file.replace(
      node,
      parent?.type === "ObjectProperty" && parent.shorthand ? `${node.name}: ctx.${node.name}` : `ctx.${node.name}`,
    );
  });
}

interface Names {
  readonly ctx: string;
  /** What stands before the name of a member: "context.", or nothing after destructuring. */
  readonly prefix: string;
}

function migrateUses(file: SourceFile, body: Node, names: Names): void {
  walk(body, (node) => {
    const text = node.type === "MemberExpression" || node.type === "Identifier" ? file.textOf(node) : "";
    const member = text.startsWith(names.prefix) ? text.slice(names.prefix.length) : "";
    if (advice[member] !== undefined) file.find(node, advice[member]);
    if (node.type === "CallExpression") migrateCall(file, node, names);
  });
}

function migrateCall(file: SourceFile, call: CallExpression, { ctx, prefix }: Names): void {
  const [first, second] = call.arguments;
  const params = (name: string) => {
    const member = memberOf(first, name);
    return member && file.textOf(member.value);
  };
  const found = toMethodCall(call);
  const callee = file.textOf(call.callee);
  if (found && file.textOf(found.object) === `${prefix}log` && levels[found.method] !== undefined && first) {
    const data = `message: ${file.textOf(first)}${second ? `, context: ${file.textOf(second)}` : ""}`;
    file.replace(call, `${ctx}.log("${levels[found.method]}", { ${data} })`);
  } else if (callee === `${prefix}reportProgress` && params("progress") !== undefined) {
    const message = params("message");
    const values = [params("progress"), params("total") ?? (message && "undefined"), message];
    file.replace(call, `${ctx}.progress(${values.filter((value) => value !== undefined).join(", ")})`);
  } else if (callee === `${prefix}elicit` && params("requestedSchema") !== undefined) {
    file.replace(call, `${ctx}.tryElicit(${params("message")}, ${params("requestedSchema")})`);
  } else if (callee === `${prefix}elicit` && params("url") !== undefined) {
    file.replace(call, `${ctx}.tryElicitUrl(${params("message")}, ${params("url")})`);
  }
}
