// Shows the arguments of a tool or prompt as they are written on the command line: a=<number> [b=<text>].
import {
  alternatives,
  itemSchema,
  propertiesOf,
  requiredNames,
  resolveSchema,
  type Schema,
  typesOf,
} from "../arguments/schema.ts";
import { toPrintableLine } from "../terminal/printable.ts";

const maxMembers = 6;
const maxArguments = 30;

/** Optional arguments are in brackets. Empty without arguments. */
export function toToolUsage(root: Schema): string {
  const required = requiredNames(root);
  const properties = Object.entries(propertiesOf(root));
  const sorted = [
    ...properties.filter(([name]) => required.includes(name)),
    ...properties.filter(([name]) => !required.includes(name)),
  ];
  const shown = sorted.slice(0, maxArguments).map(([name, schema]) => {
    const text = toArgument(name, resolveSchema(schema, root), root);
    return required.includes(name) ? text : `[${text}]`;
  });
  return toPrintableLine([...shown, ...(sorted.length > maxArguments ? ["…"] : [])].join(" "));
}

function toArgument(name: string, schema: Schema, root: Schema): string {
  const items = itemSchema(schema, root);
  if (items !== undefined) return `${name}[]=${toKind(items, root)}`;
  const kind = toKind(schema, root);
  return kind === "<object>" ? `${name}:=<JSON>` : `${name}=${kind}`;
}

function toKind(schema: Schema, root: Schema): string {
  const members = alternatives(schema, root).flatMap(({ enum: values, const: only }) =>
    Array.isArray(values) ? values : only === undefined ? [] : [only],
  );
  if (members.length > 0) {
    return `${members.slice(0, maxMembers).join("|")}${members.length > maxMembers ? "|…" : ""}`;
  }
  const types = [...new Set(typesOf(schema, root))].map((type) => (type === "string" ? "text" : type));
  return `<${types.length === 0 ? "any" : types.join("|")}>`;
}

interface PromptArgument {
  readonly name: string;
  readonly required?: boolean;
}

/** Arguments of prompts are text. */
export function toPromptUsage(given: readonly PromptArgument[] = []): string {
  const texts = given
    .slice(0, maxArguments)
    .map(({ name, required }) => (required ? `${name}=<text>` : `[${name}=<text>]`));
  return toPrintableLine(texts.join(" "));
}
