// Form elicitation in the terminal (E-86 to E-89): prompts for each field, validates it, and confirms before sending.
import { checkContent, type FormContent } from "@lethe/client";
import type { ElicitFormParams, ElicitResult, ElicitValue, FieldSchema } from "@lethe/protocol";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { type Prompt, Refusal } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";
import { describeField } from "./describe-field.ts";
import { choicesOf } from "./field-choices.ts";
import { type ReadField, readField } from "./read-field.ts";

/** Rejects with Refusal if the user declines or cancels. */
export async function askForm(prompt: Prompt, params: ElicitFormParams, style: Style): Promise<ElicitResult> {
  const { message, requestedSchema } = params;
  const { properties, required = [] } = requestedSchema;
  prompt.write(`${toPrintable(message)}\n${style.dim("Ctrl-D declines, Ctrl-C cancels.")}\n`);
  let content: FormContent = {};
  for (;;) {
    const given: FormContent = {};
    for (const [field, schema] of Object.entries(properties)) {
      const before = Object.hasOwn(content, field) ? content[field] : schema.default;
      const isRequired = required.includes(field);
      const value = await askField(prompt, { field, schema, before, isRequired }, style);
      if (value !== undefined) given[field] = value;
    }
    content = given;
    if (await isConfirmed(prompt, content)) return { action: "accept", content };
  }
}

export interface Field {
  readonly field: string;
  readonly schema: FieldSchema;
  /** The value of an empty line. */
  readonly before: ElicitValue | undefined;
  readonly isRequired: boolean;
}

/** Resolves with undefined for an omitted field. */
async function askField(prompt: Prompt, field: Field, style: Style): Promise<ElicitValue | undefined> {
  const { schema, before, isRequired } = field;
  prompt.write(`\n${toHeading(field, style)}\n`);
  const choices = choicesOf(schema) ?? [];
  for (const [index, { value, title }] of choices.entries()) {
    const more = title === value ? "" : style.dim(` (${toPrintableLine(value)})`);
    prompt.write(`  ${index + 1}) ${toPrintableLine(title)}${more}\n`);
  }
  const hint = before === undefined ? "" : style.dim(`[${toPrintableLine(String(before))}] `);
  for (;;) {
    const text = await prompt.ask(`${hint}> `);
    if (text === "" && before !== undefined) return before;
    if (text === "" && !isRequired) return undefined;
    const read = readAnswer(field, text);
    if ("value" in read) return read.value;
    prompt.write(`${style.yellow("!")} ${toPrintableLine(read.problem)}\n`);
  }
}

/** Reads and checks one typed value. */
export function readAnswer({ field, schema }: Field, text: string): ReadField {
  if (text === "") return { problem: "a value is required" };
  const read = readField(schema, text);
  if ("problem" in read) return read;
  const problem = checkContent({ type: "object", properties: { [field]: schema } }, { [field]: read.value });
  return problem === undefined ? read : { problem };
}

function toHeading({ field, schema, isRequired }: Field, style: Style): string {
  const title = style.bold(toPrintableLine(schema.title ?? field));
  const need = isRequired ? "" : ", optional";
  const description = schema.description === undefined ? "" : `\n  ${toPrintable(schema.description)}`;
  const kind = choicesOf(schema)
    ? schema.type === "array"
      ? "one or more, separated by commas"
      : "one"
    : describeField(schema);
  return `${title}${style.dim(`: ${kind}${need}`)}${description}`;
}

/** Resolves with false to edit the form again. */
async function isConfirmed(prompt: Prompt, content: FormContent): Promise<boolean> {
  const shown = Object.keys(content).length === 0 ? "" : ` ${toPrintableLine(JSON.stringify(content))}`;
  prompt.write("\n");
  for (;;) {
    const text = (await prompt.ask(`Send${shown}? (Y)es, (e)dit, (d)ecline, (c)ancel: `)).toLowerCase();
    if (text === "" || text === "y" || text === "yes") return true;
    if (text === "e" || text === "edit") return false;
    if (text === "d" || text === "decline") throw new Refusal("decline");
    if (text === "c" || text === "cancel") throw new Refusal("cancel");
  }
}
