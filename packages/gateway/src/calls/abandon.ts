// Gives up a call that an upstream keeps open for an answer: nobody will bring one.
import { type Caller, isInputRequired, type ModernRequest, type Result } from "@lethe/protocol";
import { createOwnExchange } from "../upstreams/connection/own-request.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";

/** A call that asks again just when it is given up is given up again, so many times. */
const maxTries = 3;

export interface Abandoned {
  readonly sessions: UpstreamSessions;
  readonly session: Session;
  /** The request that was answered by the question, as the upstream got it. */
  readonly asked: ModernRequest;
  readonly caller: Caller | undefined;
}

/** Goes on with the call and cancels it on the way, which is all that a Dispatch offers (J-63). Never rejects. */
export async function abandon({ sessions, session, asked, caller }: Abandoned, question: Result): Promise<void> {
  let result: Result | undefined = question;
  sessions.enter(session);
  for (let tries = 0; tries < maxTries && result && isInputRequired(result); tries += 1) {
    const stop = new AbortController();
    const exchange = createOwnExchange({ signal: stop.signal, caller });
    const input = { inputResponses: {}, requestState: result.requestState };
    const running = sessions.run(session, { ...asked, params: { ...asked.params, ...input } }, exchange);
    // Once the connection knows the call again, so that there is something to cancel.
    setImmediate(() => stop.abort());
    result = await running.catch(() => undefined);
  }
  sessions.leave(session);
}
