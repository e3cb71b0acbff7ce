// Elicitation, sampling and roots requests of 2025-11-25: requests from server to client in the middle of a call (D-23).
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../meta/capabilities.ts";
import type { ElicitUrlParams } from "../../model/elicitation.ts";
import type { InputRequest } from "../../model/input.ts";
import type { ServerRequest } from "../revision.ts";

// D-39
/** A form elicitation names its mode, and a URL elicitation has an id. */
export function toClientInputRequest(request: InputRequest, elicitationId: string): ServerRequest {
  const { method, params } = request;
  if (method === "roots/list") return params ? { method, params } : { method };
  if (method === "sampling/createMessage") return { method, params: { ...params } };
  if (params.mode === "url") return { method, params: { ...params, elicitationId } };
  return { method, params: { ...params, mode: "form" } };
}

export function fromClientInputResponse(_request: InputRequest, response: JsonObject): JsonObject {
  return response;
}

// J-75, E-96
/** Drops `_meta`, `task`, `elicitationId` and `enumNames`, and the `includeContext` of a client that did not declare it. */
export function fromServerInputRequest(
  method: InputRequest["method"],
  params: JsonObject = {},
  capabilities: ClientCapabilities = {},
  keepsEnumNames = false,
): InputRequest | undefined {
  if (method === "roots/list") return { method, params: {} };
  const { _meta: _, task: __, ...own } = params;
  if (method === "sampling/createMessage") {
    if (!Array.isArray(own.messages) || typeof own.maxTokens !== "number") return undefined;
    if (!capabilities.sampling?.context) delete own.includeContext;
    return { method, params: own } as unknown as InputRequest;
  }
  if (typeof own.message !== "string") return undefined;
  if (own.mode === "url") {
    const url = toElicitUrlParams(own);
    return url && { method, params: url };
  }
  if (!isJsonObject(own.requestedSchema)) return undefined;
  const requestedSchema = keepsEnumNames ? own.requestedSchema : withTitledChoices(own.requestedSchema);
  return { method, params: { ...own, requestedSchema } } as unknown as InputRequest;
}

/** The params of a URL elicitation; undefined without a URL. */
export function toElicitUrlParams(value: unknown): ElicitUrlParams | undefined {
  if (!isJsonObject(value) || typeof value.url !== "string") return undefined;
  return { mode: "url", message: typeof value.message === "string" ? value.message : "", url: value.url };
}

/** Before 2025-11-25 a titled choice was `enum` with `enumNames`; since then it is `oneOf`. */
function withTitledChoices(schema: JsonObject): JsonObject {
  if (!isJsonObject(schema.properties)) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, withTitledChoice(field)]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function withTitledChoice(field: unknown): unknown {
  if (!isJsonObject(field) || !Array.isArray(field.enum) || !Array.isArray(field.enumNames)) return field;
  const { enum: choices, enumNames: names, ...rest } = field;
  return { ...rest, oneOf: choices.map((choice, index) => ({ const: choice, title: names[index] ?? choice })) };
}
