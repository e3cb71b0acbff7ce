// Reads the object of a definition and takes members out of it.
import type { Node, ObjectExpression } from "@babel/types";
import { endOf, type SourceFile, startOf } from "../source/source-file.ts";
import { nameOf } from "../source/syntax.ts";

export interface FastmcpFile {
  readonly file: SourceFile;
  readonly exposeErrors: boolean;
}

type Member = ObjectExpression["properties"][number];

/** A member of any form: `a: 1`, `a`, or `a() {}`. */
export function findMember(object: Node | undefined, name: string): Member | undefined {
  if (object?.type !== "ObjectExpression") return undefined;
  return object.properties.find((property) => nameOf(property) === name);
}

/** The value of a member as an expression; a method becomes a function expression. */
export function valueText(file: SourceFile, member: Member): string {
  if (member.type === "ObjectProperty") return file.textOf(member.value);
  if (member.type === "SpreadElement") return file.textOf(member.argument);
  const text = file.text.slice(endOf(member.key), endOf(member));
  return `${member.async ? "async " : ""}function ${text}`;
}

/** Gives a member another name. */
export function rename(file: SourceFile, member: Member, name: string): void {
  if (member.type === "SpreadElement") return;
  const isShorthand = member.type === "ObjectProperty" && member.shorthand;
  file.replaceBetween(
    startOf(member.key),
    endOf(member.key),
    isShorthand ? `${name}: ${file.textOf(member.key)}` : name,
  );
}

/** Removes a member together with its comma. */
export function removeMember(file: SourceFile, object: ObjectExpression, member: Member): void {
  const index = object.properties.indexOf(member);
  const next = object.properties[index + 1];
  const previous = object.properties[index - 1];
  if (next) file.edits.remove(startOf(member), startOf(next));
  else file.edits.remove(previous ? endOf(previous) : startOf(member), endOf(member));
}
