// A request in OpenTelemetry's conventions for MCP: the name of its span, and the attributes of its span and its metrics. They
// contain no arguments.
import { errorCode, type ModernRequest, method, protocolVersionOf } from "@lethe/protocol";
import { idLabelOf, methodLabelOf, targetLabelOf } from "./request-label.ts";
import type { TelemetryAttributes } from "./telemetry-api.ts";

/** The boundaries of durations in seconds, as the conventions advise. */
export const durationBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The `error.type` of a tool that ran and reported an error. */
export const toolError = "tool_error";

/** The name of a span: the method, and the tool or prompt. Not the resource, because there may be any number of them. */
export function spanNameOf(request: ModernRequest): string {
  const target = request.method === method.readResource ? undefined : targetLabelOf(request);
  return target === undefined ? methodLabelOf(request) : `${methodLabelOf(request)} ${target}`;
}

export function attributesOf(request: ModernRequest): TelemetryAttributes {
  const attributes: TelemetryAttributes = {
    "mcp.method.name": methodLabelOf(request),
    "mcp.protocol.version": protocolVersionOf(request),
    "jsonrpc.request.id": idLabelOf(request),
  };
  const target = targetLabelOf(request);
  const key = targetKeys.get(request.method);
  if (target !== undefined && key !== undefined) attributes[key] = target;
  if (request.method === method.callTool) attributes["gen_ai.operation.name"] = "execute_tool";
  return attributes;
}

const targetKeys: ReadonlyMap<string, string> = new Map([
  [method.callTool, "gen_ai.tool.name"],
  [method.getPrompt, "gen_ai.prompt.name"],
  [method.readResource, "mcp.resource.uri"],
]);

/** A metric keeps all values of its attributes, so it uses none that a client can invent. */
export function measuredOf(request: ModernRequest, outcome: TelemetryAttributes): TelemetryAttributes {
  const code = outcome["rpc.response.status_code"];
  const isUnknownMethod = code === String(errorCode.methodNotFound);
  const measured: TelemetryAttributes = { ...outcome, "mcp.method.name": isUnknownMethod ? "_OTHER" : request.method };
  const target = request.method === method.readResource ? undefined : targetLabelOf(request);
  const key = targetKeys.get(request.method);
  // Only a result shows that the target exists.
  const isKnown = outcome["error.type"] === undefined || outcome["error.type"] === toolError;
  if (target !== undefined && key !== undefined && isKnown) measured[key] = target;
  return measured;
}
