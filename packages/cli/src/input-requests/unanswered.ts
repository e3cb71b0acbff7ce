// The error for an input request without a terminal and without a fitting answer: the request, and how to answer it.
import type { CreateMessageParams, ElicitFormParams, ElicitUrlParams, FieldSchema } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { toText } from "./ask-sampling.ts";
import { describeField } from "./describe-field.ts";
import { choicesOf } from "./field-choices.ts";

/** `misfit` states why a given answer does not fit. */
export function unansweredForm(params: ElicitFormParams, misfit: string | undefined): CommandError {
  const { message, requestedSchema } = params;
  const { properties, required = [] } = requestedSchema;
  const fields = Object.entries(properties).map(([field, schema]) => {
    const need = required.includes(field) ? "" : ", optional";
    return `\n  ${toPrintable(field)}: ${describeField(schema)}${need}`;
  });
  const needed = Object.entries(properties).filter(([field]) => required.includes(field));
  const example = Object.fromEntries(needed.map(([field, schema]) => [field, exampleOf(schema)]));
  const why = misfit === undefined ? "" : `\n${toPrintable(misfit)}`;
  return unanswered(`the server requests input: ${toPrintable(message)}${fields.join("")}${why}`, example);
}

export function unansweredUrl({ message, url }: ElicitUrlParams): CommandError {
  const request = `the server requests input: ${toPrintable(message)}\nOpen ${toPrintable(url)}`;
  return unanswered(request, { action: "accept" });
}

export function unansweredSampling({ messages }: CreateMessageParams): CommandError {
  const transcript = messages.map((message) => `\n  ${toPrintableLine(message.role)}: ${toPrintable(toText(message))}`);
  return unanswered(`the server requests a model's answer to:${transcript.join("")}`, { text: "…" });
}

function unanswered(request: string, example: object): CommandError {
  // Escaping control characters does not change the JSON.
  const option = `--answer '${toPrintable(JSON.stringify(example)).replaceAll("'", "'\\''")}'`;
  const how = `Answer with ${option}, once for each input request, or run the command in a terminal.`;
  return new CommandError(`${request}\n${how}`, exitCode.unanswered);
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
