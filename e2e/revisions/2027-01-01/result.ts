// Results of the invented revision: tools/call results count their content blocks in `contentCount`.
import type { JsonObject } from "../../../packages/protocol/src/jsonrpc/message.ts";
import type { Result } from "../../../packages/protocol/src/meta/result.ts";
import { method } from "../../../packages/protocol/src/model/methods.ts";

export function toClientResult(name: string, result: Result): JsonObject {
  if (name !== method.callTool || !Array.isArray(result.content)) return result;
  return { ...result, contentCount: result.content.length };
}

export function fromServerResult(name: string, result: JsonObject): Result {
  if (name !== method.callTool) return result as Result;
  const { contentCount: _, ...rest } = result;
  return rest as Result;
}
