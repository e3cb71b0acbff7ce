// Elicitation and sampling requests of 2025-06-18: forms have no mode, each sampling message holds one content block, a titled
// choice is `enum` with `enumNames` (D.6), and a multiple choice is one checkbox per option.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ElicitSchema, FieldSchema, MultiEnumSchema, TitledConst } from "../../model/elicitation.ts";
import type { InputRequest } from "../../model/input.ts";
import type { SamplingMessage } from "../../model/sampling.ts";
import { toClientInputRequest as toNewer } from "../2025-11-25/input-request.ts";
import type { ServerRequest } from "../revision.ts";

export { fromServerInputRequest } from "../2025-11-25/input-request.ts";

export function toClientInputRequest(request: InputRequest, elicitationId: string): ServerRequest {
  if (request.method === "sampling/createMessage") {
    const { params } = request;
    return { method: request.method, params: { ...params, messages: params.messages.flatMap(toSingleBlocks) } };
  }
  if (request.method === "roots/list" || request.params.mode === "url") return toNewer(request, elicitationId);
  const { message, requestedSchema } = request.params;
  return { method: request.method, params: { message, requestedSchema: toClientForm(requestedSchema) } };
}

export function fromClientInputResponse(request: InputRequest, response: JsonObject): JsonObject {
  if (request.method !== "elicitation/create" || request.params.mode === "url") return response;
  if (!isJsonObject(response.content)) return response;
  return { ...response, content: fromClientContent(request.params.requestedSchema, response.content) };
}

function toSingleBlocks(message: SamplingMessage): SamplingMessage[] {
  return Array.isArray(message.content) ? message.content.map((content) => ({ ...message, content })) : [message];
}

export function toClientForm(schema: ElicitSchema): JsonObject {
  const fields = Object.entries(schema.properties).flatMap(([name, field]): [string, unknown][] =>
    field.type === "array" ? toCheckboxes(name, field) : [[name, toClientField(field)]],
  );
  const properties: JsonObject = Object.fromEntries(fields);
  const required = schema.required?.filter((name) => Object.hasOwn(properties, name));
  return required && required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
}

/** Collects ticked checkboxes into lists. A field without any checkbox in `content` stays absent. */
export function fromClientContent(schema: ElicitSchema, content: JsonObject): JsonObject {
  const collected = { ...content };
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.type !== "array") continue;
    const choices = choicesOf(field).map((choice) => ({ value: choice.const, box: checkboxName(name, choice.const) }));
    if (choices.some(({ box }) => box in content)) {
      collected[name] = choices.filter(({ box }) => content[box] === true).map(({ value }) => value);
    }
    for (const { box } of choices) delete collected[box];
  }
  return collected;
}

function toClientField(field: Exclude<FieldSchema, MultiEnumSchema>): JsonObject {
  if (!("oneOf" in field) || !field.oneOf) return { ...field };
  const { oneOf, ...rest } = field;
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}

function toCheckboxes(name: string, field: MultiEnumSchema): [string, JsonObject][] {
  const ticked = new Set(field.default);
  return choicesOf(field).map((choice) => {
    const box: JsonObject = { type: "boolean", title: `${field.title ?? name}: ${choice.title}` };
    if (field.description !== undefined) box.description = field.description;
    box.default = ticked.has(choice.const);
    return [checkboxName(name, choice.const), box];
  });
}

function choicesOf({ items }: MultiEnumSchema): readonly TitledConst[] {
  return items.anyOf ?? items.enum?.map((value) => ({ const: value, title: value })) ?? [];
}

function checkboxName(field: string, value: string): string {
  return `${field}[${value}]`;
}
