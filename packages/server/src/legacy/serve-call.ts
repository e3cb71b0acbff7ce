// One call through the modern core (D-50): where the core answers `input_required`, the client is asked live, and the core
// is called again with the answers.
import {
  errorCode,
  type InputRequests,
  isInputMethod,
  isInputRequired,
  isTaskResult,
  type JsonObject,
  McpError,
  type ModernRequest,
  type Result,
  taskWishOf,
} from "@lethe/protocol";
import { legacyErrorCode, legacyNotification } from "@lethe/protocol/legacy";
import { type BackgroundTimer, startBackgroundTimer } from "./background-timer.ts";
import type { CallRun } from "./call-run.ts";
import type { LegacyParts } from "./legacy-parts.ts";
import { randomId } from "./random-id.ts";
import type { LegacySession } from "./session.ts";

/** E-25: the pace of a call that asks nothing and wants to be repeated all the same. */
const firstPauseMs = 250;
const maxPauseMs = 5_000;

export async function serveCall(
  request: ModernRequest,
  run: CallRun,
  session: LegacySession,
  { dispatch, settings }: LegacyParts,
): Promise<Result> {
  const visits = createVisits(run);
  let next = request;
  for (let round = 0; ; round++) {
    const result = await withDeadline(dispatch(next, run), settings.callTimeoutMs, run);
    if (run.isEnded) throw internal("the request was cancelled");
    const questions = isInputRequired(result) ? (result.inputRequests ?? {}) : undefined;
    visits.leave(questions);
    if (!questions) return requireDue(result, request);
    if (!isInputMethod(request.method)) throw internal(`${request.method} may not ask for input`);
    if (round === settings.maxRounds) throw internal(`the call asked for input more than ${settings.maxRounds} times`);
    const isAsking = Object.keys(questions).length > 0;
    if (!isAsking) await pause(Math.min(firstPauseMs * 2 ** round, maxPauseMs), run);
    next = withAnswers(request, isAsking ? await askAll(questions, run, session, visits) : undefined, result);
  }
}

/** A task only for who asked for one (D-38). */
function requireDue(result: Result, request: ModernRequest): Result {
  if (result.resultType === "complete" || (isTaskResult(result) && taskWishOf(request))) return result;
  throw internal(`a result of kind "${result.resultType}" cannot be given to this client`);
}

/** E-24: the same request, with the answers of this round and its state. */
function withAnswers(request: ModernRequest, inputResponses: JsonObject | undefined, asked: Result): ModernRequest {
  const params = { ...request.params };
  if (inputResponses) params.inputResponses = inputResponses;
  if (typeof asked.requestState === "string") params.requestState = asked.requestState;
  return { ...request, params };
}

/** All questions of a round at once; one that fails takes the others back. `meta` is added to each. */
export async function askAll(
  questions: InputRequests,
  run: CallRun,
  session: LegacySession,
  visits: Visits,
  meta?: JsonObject,
): Promise<JsonObject> {
  if (!run.outlet.canAsk) throw cannotAsk(questions, visits);
  const round = session.beginRound(run);
  try {
    const answers = Object.entries(questions).map(async ([key, question]) => {
      const { codec } = session.facts;
      const asked = codec.toLegacyQuestion(question, visits.idOf(question));
      const answer = await round.ask(meta ? { ...asked, params: { ...asked.params, _meta: meta } } : asked);
      visits.enter(question, answer);
      return [key, codec.fromLegacyAnswer(question, answer)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  } finally {
    round.end();
  }
}

/** D-39: a client that reads one answer only can still be sent somewhere and call again. */
function cannotAsk(questions: InputRequests, visits: Visits): McpError {
  const urls = Object.values(questions).filter((question) => urlOf(question) !== undefined);
  if (urls.length === 0 || urls.length < Object.keys(questions).length) {
    return new McpError(errorCode.invalidRequest, "this call asks questions: Accept: text/event-stream is needed");
  }
  const elicitations = urls.map((question) => ({ ...question.params, elicitationId: visits.idOf(question) }));
  const message = "this call needs the user to visit a URL first";
  return new McpError(legacyErrorCode.urlElicitationRequired, message, { data: { elicitations } });
}

type Question = InputRequests[string];

/** Places that the user was sent to (D-39). */
export interface Visits {
  /** One id for one URL, however often the core asks. */
  idOf(question: Question): string;
  enter(question: Question, answer: JsonObject): void;
  /** Whatever the core asks for no longer is complete; the client may close its window. */
  leave(questions: InputRequests | undefined): void;
}

export function createVisits(run: CallRun): Visits {
  const idByUrl = new Map<string, string>();
  const entered = new Set<string>();
  return {
    idOf(question) {
      const url = urlOf(question);
      if (url === undefined) return "";
      const id = idByUrl.get(url) ?? randomId();
      idByUrl.set(url, id);
      return id;
    },
    enter(question, answer) {
      const url = urlOf(question);
      if (url !== undefined && answer.action === "accept") entered.add(url);
    },
    leave(questions = {}) {
      if (entered.size === 0) return;
      const asked = new Set(Object.values(questions).map(urlOf));
      for (const url of entered) {
        if (asked.has(url)) continue;
        entered.delete(url);
        const elicitationId = idByUrl.get(url);
        run.notify({ jsonrpc: "2.0", method: legacyNotification.elicitationComplete, params: { elicitationId } });
      }
    },
  };
}

function urlOf(question: Question): string | undefined {
  if (question.method !== "elicitation/create") return undefined;
  return question.params.mode === "url" ? question.params.url : undefined;
}

/** A call that takes too long is aborted, and answered. */
async function withDeadline(work: Promise<Result>, ms: number, run: CallRun): Promise<Result> {
  if (ms === 0) return work;
  let timer: BackgroundTimer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = startBackgroundTimer(() => {
      reject(internal(`the request took longer than ${ms} ms`));
      run.abort();
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(ms: number, run: CallRun): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = startBackgroundTimer(() => {
      forget();
      resolve();
    }, ms);
    const forget = run.onStop(() => {
      clearTimeout(timer);
      reject(internal("the request was cancelled"));
    });
  });
}

export function internal(message: string): McpError {
  return new McpError(errorCode.internalError, message);
}
