// A request in OpenTelemetry's conventions for MCP: the name of its span, and the attributes of its span and its metrics. They
// contain no arguments.
import { errorCode, type ModernRequest, method, protocolVersionOf } from "@lethe/protocol";
import { idLabelOf, methodLabelOf, targetLabelOf } from "./request-label.ts";
import type { TelemetryAttributes } from "./telemetry-api.ts";

/** The boundaries of the histograms of durations, in seconds, as the conventions advise. */
export const durationBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The `error.type` of a tool that ran and reported an error. */
export const toolError = "tool_error";

/** What spans and metrics tell about a request. */
export interface RequestDescription {
  /** The method, and the tool or prompt. Not the resource, because there may be any number of them. */
  readonly spanName: string;
  readonly attributes: TelemetryAttributes;
  /** The attributes of its duration. A metric keeps all values, so there are none that a client can invent. */
  measured(outcome: TelemetryAttributes): TelemetryAttributes;
}

const targetKeys: ReadonlyMap<string, string> = new Map([
  [method.callTool, "gen_ai.tool.name"],
  [method.getPrompt, "gen_ai.prompt.name"],
  [method.readResource, "mcp.resource.uri"],
]);

/**
 * Describes a request in OpenTelemetry's conventions for MCP, without its arguments. `measured` takes the attributes of the outcome,
 * such as `error.type`.
 *
 * @example
 * import { createRequestBuilder } from "@lethe/client/edge";
 * import { describeRequest } from "@lethe/server/edge";
 *
 * const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
 * const { spanName, attributes, measured } = describeRequest(build("tools/call", { name: "greet" }));
 * console.log(spanName, attributes["gen_ai.tool.name"]); // tools/call greet greet
 * console.log(measured({})["mcp.method.name"]); // tools/call
 */
export function describeRequest(request: ModernRequest): RequestDescription {
  const methodLabel = methodLabelOf(request);
  const target = targetLabelOf(request);
  const key = target === undefined ? undefined : targetKeys.get(request.method);
  const named: TelemetryAttributes = target !== undefined && key !== undefined ? { [key]: target } : {};
  const isResource = request.method === method.readResource;
  return {
    spanName: target === undefined || isResource ? methodLabel : `${methodLabel} ${target}`,
    attributes: {
      "mcp.method.name": methodLabel,
      "mcp.protocol.version": protocolVersionOf(request),
      "jsonrpc.request.id": idLabelOf(request),
      ...named,
      ...(request.method === method.callTool && { "gen_ai.operation.name": "execute_tool" }),
    },
    measured(outcome) {
      const isUnknown = outcome["rpc.response.status_code"] === String(errorCode.methodNotFound);
      // Only a result shows that the target exists.
      const isFound = outcome["error.type"] === undefined || outcome["error.type"] === toolError;
      const own = { ...outcome, "mcp.method.name": isUnknown ? "_OTHER" : request.method };
      return isFound && !isResource ? { ...own, ...named } : own;
    },
  };
}
