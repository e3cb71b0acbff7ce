// What is said when a server asks and there is neither a person nor a given answer: the question, and how to answer it.
import type { CreateMessageParams, ElicitFormParams, ElicitUrlParams, FieldSchema } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { toText } from "./ask-sampling.ts";
import { describeField } from "./describe-field.ts";
import { choicesOf } from "./field-choices.ts";

/** `misfit` says why an answer that was given is none. */
export function unansweredForm(params: ElicitFormParams, misfit: string | undefined): CommandError {
  const { message, requestedSchema } = params;
  const { properties, required = [] } = requestedSchema;
  const fields = Object.entries(properties).map(([field, schema]) => {
    const need = required.includes(field) ? "" : ", may be left out";
    return `\n  ${toPrintable(field)}: ${describeField(schema)}${need}`;
  });
  const needed = Object.entries(properties).filter(([field]) => required.includes(field));
  const example = Object.fromEntries(needed.map(([field, schema]) => [field, exampleOf(schema)]));
  const why = misfit === undefined ? "" : `\n${toPrintable(misfit)}`;
  return unanswered(`the server asks: ${toPrintable(message)}${fields.join("")}${why}`, example);
}

export function unansweredUrl({ message, url }: ElicitUrlParams): CommandError {
  const question = `the server asks: ${toPrintable(message)}\nand wants you to open ${toPrintable(url)}`;
  return unanswered(question, { action: "accept" });
}

export function unansweredSampling({ messages }: CreateMessageParams): CommandError {
  const asked = messages.map((message) => `\n  ${toPrintableLine(message.role)}: ${toPrintable(toText(message))}`);
  return unanswered(`the server asks for a model's answer to:${asked.join("")}`, { text: "…" });
}

function unanswered(question: string, example: object): CommandError {
  // Escapes of control characters are the same JSON.
  const option = `--answer '${toPrintable(JSON.stringify(example)).replaceAll("'", "'\\''")}'`;
  const how = `Answer with ${option}, once for each question, or run the command in a terminal.`;
  return new CommandError(`${question}\n${how}`, exitCode.unanswered);
}

function exampleOf(schema: FieldSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  const first = choicesOf(schema)?.[0]?.value;
  switch (schema.type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema.minimum ?? schema.maximum ?? 1;
    case "array":
      return first === undefined ? [] : [first];
    default:
      return first ?? "…";
  }
}
