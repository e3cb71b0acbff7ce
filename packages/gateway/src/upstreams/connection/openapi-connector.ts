// Connects to the tools of an HTTP API, in this process.
import { connectMemory } from "@lethe/client/edge";
import type { OpenApiUpstream } from "../../config/upstream-config.ts";
import type { Connector, ConnectorOptions } from "./open-connection.ts";
import { gatewayInfo } from "./own-request.ts";

/** The first start after a failure reads the document again. */
export function createOpenApiConnector(upstream: OpenApiUpstream, { onWarning }: ConnectorOptions): Connector {
  const { name, document, api, timeoutMs } = upstream;
  return {
    transport: () => "memory",
    async open(signal) {
      // Loaded for the first API, so that a gateway without one starts as fast as before.
      const [{ openapi }, { readSpec }] = await Promise.all([import("@lethe/openapi"), import("@lethe/openapi/node")]);
      const served = openapi(await readSpec(document), { ...api, ...(timeoutMs !== undefined && { timeoutMs }) });
      if (served.skipped.length > 0) onWarning?.(name, toWarning(served.skipped));
      // The call itself ends first, with an error that says so.
      const limit = timeoutMs === undefined ? {} : { timeoutMs: timeoutMs * 2 };
      return connectMemory(name, served.dispatch, { clientInfo: gatewayInfo, signal, ...limit });
    },
    close: () => {},
  };
}

function toWarning(skipped: readonly { operation: string; reason: string }[]): string {
  const shown = skipped.slice(0, 5).map(({ operation, reason }) => `${operation}: ${reason}`);
  const rest = skipped.length > shown.length ? `; and ${skipped.length - shown.length} more` : "";
  return `does not serve all operations of its document: ${shown.join("; ")}${rest}`;
}
