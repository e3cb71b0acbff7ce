// addTool({ name, parameters, execute, … }) becomes tool(name, { inputSchema, handler, … }).
import type { ObjectExpression } from "@babel/types";
import type { SourceFile } from "../source/source-file.ts";
import type { MethodCall } from "../source/syntax.ts";
import { type FastmcpFile, findMember, removeMember, rename, valueText } from "./definition.ts";

const advice: { readonly [member: string]: string } = {
  timeoutMs: "timeoutMs: use server.use(timeout({ ms })) of @lethe/server/middleware",
  canAccess: "canAccess: use `scopes`, or the option `visible` of the tool",
};

export function migrateTool({ file, exposeErrors }: FastmcpFile, { call, property }: MethodCall): void {
  const [options] = call.arguments;
  const name = findMember(options, "name");
  if (options?.type !== "ObjectExpression" || !name) {
    file.find(call, "write the options of this tool as an object literal");
    return;
  }
  file.replace(property, "tool");
  file.insertBefore(options, `${valueText(file, name)}, `);
  removeMember(file, options, name);
  const parameters = findMember(options, "parameters");
  if (parameters) rename(file, parameters, "inputSchema");
  migrateExecute(file, options, exposeErrors);
  for (const [member, text] of Object.entries(advice)) {
    const found = findMember(options, member);
    if (!found) continue;
    file.find(found, text);
    removeMember(file, options, found);
  }
}

function migrateExecute(file: SourceFile, options: ObjectExpression, exposeErrors: boolean): void {
  const execute = findMember(options, "execute");
  if (!execute) return;
  rename(file, execute, "handler");
  if (!exposeErrors || execute.type !== "ObjectProperty" || execute.shorthand) return;
  file.import("@lethe/server", "exposeErrors");
  file.insertBefore(execute.value, "exposeErrors(");
  file.insertAfter(execute.value, ")");
}
