// The minimal responses of the server that clients call, in both eras.
import { describeTools, greetingOf } from "../contenders/tools.ts";

interface Request {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string; arguments?: { name: string } };
}

const info = { name: "peer", version: "1.0.0" };
const shared = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": info } };
const hints = { ttlMs: 0, cacheScope: "private" };
const capabilities = { tools: {} };

/** Undefined for a notification. */
export function answerTo(text: string): string | undefined {
  const request = JSON.parse(text) as Request;
  if (request.id === undefined) return undefined;
  return JSON.stringify({ jsonrpc: "2.0", id: request.id, result: resultOf(request) });
}

function resultOf({ method, params }: Request): object {
  switch (method) {
    case "tools/call":
      return { ...shared, content: [{ type: "text", text: greetingOf(params?.arguments?.name ?? "") }] };
    case "tools/list":
      return { ...shared, ...hints, tools: describeTools(1) };
    case "initialize":
      return { protocolVersion: params?.protocolVersion, capabilities, serverInfo: info };
    default:
      return { ...shared, ...hints, supportedVersions: ["2026-07-28"], capabilities };
  }
}
