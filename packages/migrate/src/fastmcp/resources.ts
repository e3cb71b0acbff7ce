// addResource and addResourceTemplate: their `load` returns contents without a URI.
import type { SourceFile } from "../source/source-file.ts";
import { type MethodCall, memberOf } from "../source/syntax.ts";
import { type FastmcpFile, findMember, valueText } from "./definition.ts";
import { toCompleters } from "./prompts.ts";

export function migrateResource({ file }: FastmcpFile, found: MethodCall): void {
  migrate(file, found, {
    method: "resource",
    uri: "uri",
    handler: (load) => `async (uri) => [await (${load})()].flat().map((content) => ({ uri, ...content }))`,
  });
}

export function migrateTemplate({ file }: FastmcpFile, found: MethodCall): void {
  migrate(file, found, {
    method: "resourceTemplate",
    uri: "uriTemplate",
    handler: (load) =>
      `async (variables, ctx) => [await (${load})(variables)].flat().map((content) => ({ uri: ctx.request.params.uri, ...content }))`,
  });
}

interface Target {
  readonly method: string;
  readonly uri: string;
  readonly handler: (load: string) => string;
}

function migrate(file: SourceFile, { call, object }: MethodCall, target: Target): void {
  const [options] = call.arguments;
  const uri = findMember(options, target.uri);
  const load = findMember(options, "load");
  if (!uri || !load) {
    file.find(call, "write the options of this resource as an object literal");
    return;
  }
  const kept = ["name", "description", "mimeType"].flatMap((name) => {
    const member = findMember(options, name);
    return member ? [`${name}: ${valueText(file, member)}`] : [];
  });
  const members = [
    ...kept,
    ...toCompleters(file, memberOf(options, "arguments")?.value),
    `handler: ${target.handler(valueText(file, load))}`,
  ];
  const server = file.textOf(object);
  file.replace(call, `${server}.${target.method}(${valueText(file, uri)}, {\n  ${members.join(",\n  ")},\n})`);
}
