// Input requests of 2026-07-28 are those of the model. They travel in results, not as requests of their own.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../model/input.ts";
import type { ServerRequest } from "../revision.ts";

export function toClientInputRequest({ method, params }: InputRequest): ServerRequest {
  return params ? { method, params: { ...params } } : { method };
}

export function fromClientInputResponse(_request: InputRequest, response: JsonObject): JsonObject {
  return response;
}

export function fromServerInputRequest(method: InputRequest["method"], params?: JsonObject): InputRequest {
  return { method, params } as unknown as InputRequest;
}
