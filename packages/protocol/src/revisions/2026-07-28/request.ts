// Request params of 2026-07-28 are those of the model: the envelope is part of the request.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestParams } from "../../meta/envelope.ts";

export function fromClientParams(_method: string, params: JsonObject | undefined): RequestParams {
  return params as RequestParams;
}

export function toServerParams(_method: string, params: RequestParams): JsonObject {
  return params;
}
