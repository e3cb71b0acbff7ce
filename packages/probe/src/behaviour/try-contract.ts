// Sends the requests of step 3 over HTTP: the same request with the session id, without one, and with a made-up one.
import type { JsonObject } from "@lethe/protocol";
import type { InitializeResult } from "@lethe/protocol/revisions";
import type { Exchange } from "../exchange/exchange.ts";
import { sessionIdOf } from "../exchange/exchange.ts";
import type { HttpTransport } from "../exchange/http-transport.ts";
import { initialized as initializedNotification, toInitialize, toLegacyRequest } from "../exchange/messages.ts";
import type { LegacySession } from "./findings.ts";
import { toForeignId } from "./foreign-id.ts";
import { listMethodOf } from "./modern-era.ts";
import { inShort, isOk, isRefusal, type Problem, problemOf } from "./problem.ts";
import { type ContractFinding, decideContract, type Trials } from "./session-contract.ts";

export interface Initialized {
  /** The exchange of `initialize`. */
  first: Exchange;
  initialized: InitializeResult;
  sessionId: string | undefined;
  headers: Readonly<Record<string, string>>;
}

export interface Tried {
  finding: ContractFinding;
  session?: LegacySession;
  listing?: JsonObject;
}

export async function tryContract(transport: HttpTransport, begun: Initialized): Promise<Tried> {
  const { initialized, sessionId, headers } = begun;
  const ask = (method: string, how: string, id: string | undefined) =>
    transport.send(`${method} ${how}`, { message: toLegacyRequest(method), sessionId: id, headers });
  await transport.send("notifications/initialized", { message: initializedNotification, sessionId, headers });

  const withId = sessionId === undefined ? "after initialize" : "with the session id";
  let method = listMethodOf(initialized.capabilities) ?? "ping";
  const listed = await ask(method, withId, sessionId);
  let baseline = listed;
  // A list may fail for other reasons. A ping has none.
  if (isRefusal(listed) && method !== "ping") {
    method = "ping";
    baseline = await ask(method, withId, sessionId);
  }
  if (!isOk(baseline)) return { finding: { confidence: "low", reasons: [], problem: toProblem(listed) } };
  const tried = {
    session: { sessionId, headers, method },
    ...(baseline.answer.kind === "result" && method !== "ping" && { listing: baseline.answer.result }),
  };

  const without = sessionId === undefined ? undefined : await ask(method, "without a session id", undefined);
  const foreign = await ask(method, "with a made-up session id", toForeignId(sessionId));
  const trials: Trials = { initialize: begun.first, sessionId, baseline, without, foreign };
  if (sessionId === undefined || !without) return { ...tried, finding: decideContract(trials) };
  if (isOk(without)) return { ...tried, finding: decideContract({ ...trials, ping: await tryPing(without) }) };

  const again = await ask(method, "with the session id again", sessionId);
  // A refusal without a JSON-RPC error may be a failure, so it must happen twice.
  const isFault = (without.status ?? 0) >= 500 && without.answer.kind !== "error";
  const repeated =
    isFault && isRefusal(without) ? await ask(method, "without a session id again", undefined) : undefined;
  const finding = decideContract({ ...trials, again, repeated });
  if (finding.contract !== "enforced") return { ...tried, finding };
  const second = await transport.send("initialize a second time", { message: toInitialize() });
  return { ...tried, finding: decideContract({ ...trials, again, repeated, second }) };

  async function tryPing(passed: Exchange): Promise<Trials["ping"]> {
    const id = sessionIdOf(passed);
    if (method === "ping" || (id !== undefined && id !== sessionId)) return undefined;
    const bare = await ask("ping", "without a session id", undefined);
    return { without: bare, with: isRefusal(bare) ? await ask("ping", "with the session id", sessionId) : undefined };
  }
}

function toProblem(listed: Exchange): Problem {
  const message = `initialize was answered, but ${listed.what} was not: ${inShort(listed)}`;
  const advice = "see the evidence: the session may depend on a cookie or a connection, or the server is broken";
  return problemOf(listed) ?? { reason: "refused", message, advice, exchange: listed.number };
}
