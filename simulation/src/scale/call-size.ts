// The call that callers make: a request and a result of a usual size.
import { type ModernRequest, metaKey, type Result } from "@lethe/protocol";

const meta = {
  [metaKey.protocolVersion]: "2026-07-28",
  [metaKey.clientInfo]: { name: "caller", version: "1.0.0" },
  [metaKey.clientCapabilities]: {},
};

/** 200 characters of arguments. */
const query = "x".repeat(200);

export function toCallRequest(session: string): ModernRequest {
  const params = { name: "search", arguments: { query, session }, _meta: meta };
  return { id: 1, method: "tools/call", params } as unknown as ModernRequest;
}

export function sessionOf({ params }: ModernRequest): string {
  return (params as unknown as { arguments: { session: string } }).arguments.session;
}

/** 500 characters of text. */
export const callResult: Result = {
  resultType: "complete",
  content: [{ type: "text", text: "y".repeat(500) }],
} as unknown as Result;

/** The key of a session, as long as that of a gateway: a server, a caller, and what separates them. */
export function sessionName(index: number): string {
  return `notes/https://id.example.com|user-${String(index).padStart(8, "0")}`;
}
