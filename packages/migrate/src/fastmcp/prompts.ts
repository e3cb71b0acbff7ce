// addPrompt({ name, arguments, load }) becomes prompt(name, { argsSchema, complete, handler }).
import type { Node } from "@babel/types";
import type { SourceFile } from "../source/source-file.ts";
import { type MethodCall, memberOf } from "../source/syntax.ts";
import { type FastmcpFile, findMember, valueText } from "./definition.ts";

export function migratePrompt({ file }: FastmcpFile, { call, object }: MethodCall): void {
  const [options] = call.arguments;
  const name = findMember(options, "name");
  const load = findMember(options, "load");
  if (!name || !load) {
    file.find(call, "write the options of this prompt as an object literal");
    return;
  }
  const description = findMember(options, "description");
  const members = [
    ...(description ? [`description: ${valueText(file, description)}`] : []),
    ...toArguments(file, memberOf(options, "arguments")?.value),
    `handler: ${valueText(file, load)}`,
  ];
  const server = file.textOf(object);
  file.replace(call, `${server}.prompt(${valueText(file, name)}, {\n  ${members.join(",\n  ")},\n})`);
}

function toArguments(file: SourceFile, list: Node | undefined): string[] {
  if (list?.type !== "ArrayExpression" || list.elements.length === 0) return [];
  file.import("zod", "z");
  const named = list.elements.flatMap((element) => (element ? [{ element, name: textOf(file, element, "name") }] : []));
  const shape = named.map(({ element, name }) => `${name}: ${toSchema(file, element)}`);
  const completers = toCompleters(file, list);
  return [`argsSchema: z.object({ ${shape.join(", ")} })`, ...completers];
}

/** The completers of a list of arguments, as the member `complete`. */
export function toCompleters(file: SourceFile, list: Node | undefined): string[] {
  if (list?.type !== "ArrayExpression") return [];
  const completers = list.elements.flatMap((element) => {
    const complete = findMember(element ?? undefined, "complete");
    return complete && element ? [`${textOf(file, element, "name")}: ${valueText(file, complete)}`] : [];
  });
  return completers.length === 0 ? [] : [`complete: { ${completers.join(", ")} }`];
}

function toSchema(file: SourceFile, argument: Node): string {
  const choices = memberOf(argument, "enum");
  const description = memberOf(argument, "description");
  const required = memberOf(argument, "required");
  const base = choices ? `z.enum(${file.textOf(choices.value)})` : "z.string()";
  const described = description ? `${base}.describe(${file.textOf(description.value)})` : base;
  return required && file.textOf(required.value) === "true" ? described : `${described}.optional()`;
}

/** The text of a member; a name becomes the key of an object, with its quotes. */
function textOf(file: SourceFile, argument: Node, name: string): string {
  const member = memberOf(argument, name);
  return member ? file.textOf(member.value) : "unknown";
}
