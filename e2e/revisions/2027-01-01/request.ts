// Request params of the invented revision: tools/call has `input` in place of `arguments`.
import type { JsonObject } from "../../../packages/protocol/src/jsonrpc/message.ts";
import type { RequestParams } from "../../../packages/protocol/src/meta/envelope.ts";
import { method } from "../../../packages/protocol/src/model/methods.ts";

export function fromClientParams(name: string, params: JsonObject | undefined): RequestParams {
  const { input, ...rest } = params as RequestParams;
  if (name !== method.callTool) return params as RequestParams;
  return (input === undefined ? rest : { ...rest, arguments: input }) as RequestParams;
}

export function toServerParams(name: string, params: RequestParams): JsonObject {
  const { arguments: input, ...rest } = params;
  if (name !== method.callTool) return params;
  return input === undefined ? rest : { ...rest, input };
}
