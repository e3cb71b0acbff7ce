// Results of 2026-07-28 are those of the model.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Result } from "../../meta/result.ts";

export function toClientResult(_method: string, result: Result): JsonObject {
  return result;
}

export function fromServerResult(_method: string, result: JsonObject): Result {
  return result as Result;
}
