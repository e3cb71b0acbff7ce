// Opens a session for a load: `initialize`, its session id, and `notifications/initialized`.
import { openingLines } from "./wire.ts";

/** The header lines that every request of the session carries. */
export async function openSession(port: number): Promise<string[]> {
  let sessionId: string | undefined;
  for (const body of openingLines("legacy")) {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
      },
      body,
    });
    await response.text();
    if (!response.ok) throw new Error(`answered ${response.status} to ${body.slice(0, 60)}`);
    sessionId ??= response.headers.get("mcp-session-id") ?? undefined;
  }
  if (sessionId === undefined) throw new Error("initialize opened no session");
  return [`Mcp-Session-Id: ${sessionId}`];
}
