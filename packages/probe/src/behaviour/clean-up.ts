// Ends every session that any answer mentioned, errors included (step 4): a probe leaves nothing half-made behind.
import type { HttpLab } from "../exchange/http-lab.ts";
import type { Leftover } from "./findings.ts";
import { inShort } from "./problem.ts";

/** Returns the sessions that the server did not end. An id that came only with errors is no session and is left out. */
export async function cleanUp(lab: HttpLab): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  const several = lab.sessions.size > 1;
  let number = 0;
  for (const sessionId of lab.sessions) {
    number += 1;
    const what = several ? `DELETE of session ${number}` : "DELETE of the session";
    const exchange = await lab.send(what, { via: "DELETE", sessionId, isCleanUp: true });
    const { status = 0 } = exchange;
    const isRefused = status < 200 || status >= 300;
    if (isRefused && !lab.doubtful.has(sessionId)) leftovers.push({ sessionId, answer: inShort(exchange) });
  }
  return leftovers;
}
