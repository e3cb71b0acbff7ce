// Ends every session that an answer mentioned, errors included (step 4).
import type { HttpTransport } from "../exchange/http-transport.ts";
import type { Leftover } from "./findings.ts";
import { inShort } from "./problem.ts";

/** Returns the sessions that the server did not end, without ids that came only with errors. */
export async function cleanUp(transport: HttpTransport): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  const several = transport.sessions.size > 1;
  let number = 0;
  for (const sessionId of transport.sessions) {
    number += 1;
    const what = several ? `DELETE of session ${number}` : "DELETE of the session";
    const exchange = await transport.send(what, { via: "DELETE", sessionId, isCleanUp: true });
    const { status = 0 } = exchange;
    const isRefused = status < 200 || status >= 300;
    if (isRefused && !transport.doubtful.has(sessionId)) leftovers.push({ sessionId, answer: inShort(exchange) });
  }
  return leftovers;
}
