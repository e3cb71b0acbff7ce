// What a legacy server asks in the middle of a call (D-23), as an input request of a modern one (E-22).
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { type ClientCapabilities, canElicit } from "../meta/capabilities.ts";
import { type ElicitUrlParams, isElicitResult } from "../model/elicitation.ts";
import type { InputRequest } from "../model/input.ts";
import { isListRootsResult } from "../model/roots.ts";
import { isCreateMessageResult } from "../model/sampling.ts";

const isAnswer: Readonly<Record<InputRequest["method"], (value: unknown) => boolean>> = {
  "elicitation/create": isElicitResult,
  "sampling/createMessage": isCreateMessageResult,
  "roots/list": isListRootsResult,
};

/** True for the three methods that may become an input request. */
export function isQuestionMethod(method: string): method is InputRequest["method"] {
  return Object.hasOwn(isAnswer, method);
}

/** The shape only; the content is the asker's to judge (E-29). */
export function isAnswerTo(method: InputRequest["method"], value: unknown): boolean {
  return isAnswer[method](value);
}

/**
 * Undefined when the params are not those of the method. Leaves out what only the legacy wire knows: `_meta`, `task`,
 * `elicitationId`, `enumNames` (J-75), and the `includeContext` of a client that did not declare it (E-96).
 * A client of an older revision keeps `enumNames` as the server wrote them: `isForLegacy`.
 */
export function fromLegacyQuestion(
  method: InputRequest["method"],
  params: JsonObject = {},
  capabilities: ClientCapabilities = {},
  isForLegacy = false,
): InputRequest | undefined {
  if (method === "roots/list") return { method, params: {} };
  const { _meta: _, task: __, ...asked } = params;
  if (method === "sampling/createMessage") {
    if (!Array.isArray(asked.messages) || typeof asked.maxTokens !== "number") return undefined;
    if (!capabilities.sampling?.context) delete asked.includeContext;
    return { method, params: asked } as unknown as InputRequest;
  }
  if (typeof asked.message !== "string") return undefined;
  if (asked.mode === "url") {
    const url = toElicitUrlParams(asked);
    return url && { method, params: url };
  }
  if (!isJsonObject(asked.requestedSchema)) return undefined;
  return {
    method,
    params: { ...asked, requestedSchema: isForLegacy ? asked.requestedSchema : withTitles(asked.requestedSchema) },
  } as unknown as InputRequest;
}

/** A question of 2025-11-25 by URL; undefined when it names no URL. */
export function toElicitUrlParams(value: unknown): ElicitUrlParams | undefined {
  if (!isJsonObject(value) || typeof value.url !== "string") return undefined;
  return { mode: "url", message: typeof value.message === "string" ? value.message : "", url: value.url };
}

/** E-23: what `capabilities` lack to be asked this; undefined when they have it. */
export function missingForQuestion(
  question: InputRequest,
  capabilities: ClientCapabilities,
): ClientCapabilities | undefined {
  switch (question.method) {
    case "roots/list":
      return capabilities.roots ? undefined : { roots: {} };
    case "elicitation/create": {
      const mode = question.params.mode === "url" ? "url" : "form";
      return canElicit(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
    case "sampling/createMessage":
      if (!capabilities.sampling) return { sampling: {} };
      if (!question.params.tools || capabilities.sampling.tools) return undefined;
      return { sampling: { tools: {} } };
  }
}

/** `enum` with `enumNames` was the titled choice before 2025-11-25; today's spelling is `oneOf`. */
function withTitles(schema: JsonObject): JsonObject {
  if (!isJsonObject(schema.properties)) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, withTitledChoice(field)]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function withTitledChoice(field: unknown): unknown {
  if (!isJsonObject(field) || !Array.isArray(field.enum) || !Array.isArray(field.enumNames)) return field;
  const { enum: choices, enumNames: names, ...rest } = field;
  return { ...rest, oneOf: choices.map((choice, index) => ({ const: choice, title: names[index] ?? choice })) };
}
