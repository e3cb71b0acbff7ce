// Asks a client live what the core has asked (D-23, D-50): all questions of a round at once.
import { errorCode, type InputRequests, type JsonObject, McpError } from "@lethe/protocol";
import { legacyErrorCode } from "@lethe/protocol/revisions";
import type { LegacySession } from "../sessions/session.ts";
import type { Round } from "./elicitation.ts";
import type { RunningCall } from "./running-call.ts";
import { type UrlElicitations, urlOf } from "./url-elicitations.ts";

export interface Asking {
  readonly run: RunningCall;
  readonly session: LegacySession;
  readonly urlElicitations: UrlElicitations;
  /** Added to each question. */
  readonly _meta?: JsonObject;
  /** For a caller that may take the questions back. Default: a round of its own. */
  readonly round?: Round;
}

/** The answers by key. One question that fails takes the others back. Rejects with McpError. */
export async function askAll(
  questions: InputRequests,
  { run, session, urlElicitations, _meta, round = session.beginRound(run) }: Asking,
): Promise<JsonObject> {
  if (!run.sink.canAsk) throw cannotAsk(questions, urlElicitations);
  const { revision } = session.facts;
  try {
    const answers = Object.entries(questions).map(async ([key, question]) => {
      const asked = revision.toClientInputRequest(question, urlElicitations.idOf(question));
      const answer = await round.ask(_meta ? { ...asked, params: { ...asked.params, _meta } } : asked);
      urlElicitations.enter(question, answer);
      return [key, revision.fromClientInputResponse(question, answer)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  } finally {
    round.end();
  }
}

/** D-39: a client that reads one answer only can still be sent somewhere and call again. */
function cannotAsk(questions: InputRequests, urlElicitations: UrlElicitations): McpError {
  const urls = Object.values(questions).filter((question) => urlOf(question) !== undefined);
  if (urls.length === 0 || urls.length < Object.keys(questions).length) {
    return new McpError(errorCode.invalidRequest, "this call asks questions: Accept: text/event-stream is needed");
  }
  const elicitations = urls.map((question) => ({ ...question.params, elicitationId: urlElicitations.idOf(question) }));
  const message = "this call needs the user to visit a URL first";
  return new McpError(legacyErrorCode.urlElicitationRequired, message, { data: { elicitations } });
}
