// Ends every session that any answer mentioned, errors included (step 4): a probe leaves nothing half-made behind.
import type { HttpLab } from "../exchange/http-lab.ts";
import type { Leftover } from "./findings.ts";
import { inShort } from "./problem.ts";

/** Answers with the sessions that the server would not end. */
export async function cleanUp(lab: HttpLab): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  const several = lab.sessions.size > 1;
  let number = 0;
  for (const sessionId of lab.sessions) {
    number += 1;
    const what = several ? `DELETE of session ${number}` : "DELETE of the session";
    const exchange = await lab.send(what, { via: "DELETE", sessionId, isCleanUp: true });
    const { status = 0 } = exchange;
    if (status < 200 || status >= 300) leftovers.push({ sessionId, answer: inShort(exchange) });
  }
  return leftovers;
}
