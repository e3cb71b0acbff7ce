// The first exchange with a server process (D.2): sends `server/discover` and waits for as long as the process may take to
// start. A process that ignores it also gets `initialize`, so that it need not be restarted.
import {
  type ClientCapabilities,
  type Implementation,
  isMcpError,
  type JsonObject,
  method,
  modelRevision,
  type Result,
} from "@lethe/protocol";
import { createRequestBuilder } from "../call/build-request.ts";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { createRequester } from "../call/requester.ts";
import { defaultClientInfo } from "../connect/client-info.ts";
import { decideStdio, type ProbeOutcome } from "../era/decide.ts";
import { offeredVersionsOf, selectModern } from "../era/select-revision.ts";
import { splitWire } from "./split-wire.ts";
import type { StartActivity } from "./start-activity.ts";

export interface FirstExchangeOptions {
  clientInfo?: Implementation | undefined;
  capabilities?: ClientCapabilities | undefined;
  /** Time limit for the first response, in ms. */
  startTimeoutMs: number;
  /** Resolves when the process ignores `server/discover`. Absent: `initialize` is never sent. */
  activity?: Pick<StartActivity, "ignored" | "onStdout"> | undefined;
  initialize(wire: MessageWire): Promise<Connection>;
}

export type FirstExchange =
  /** `server/discover` was answered, or the process exited or stayed silent. */
  | { readonly kind: "asked"; readonly outcome: ProbeOutcome; readonly hasRefusedInitialize: boolean }
  /** `initialize` was answered. `isCertain`: so was `server/discover`, as only a legacy server answers it. */
  | { readonly kind: "session"; readonly connection: Connection; readonly isCertain: boolean }
  /** The process speaks a modern revision, but `initialize` has fixed it to an older one. */
  | { readonly kind: "locked" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Never rejects. */
export async function exchangeFirst(wire: MessageWire, options: FirstExchangeOptions): Promise<FirstExchange> {
  // Ids that no other request uses: a late response must not match another request (C-13).
  const prefix = `probe-${crypto.randomUUID()}`;
  const { probe, session, keepSession, dropSession } = splitWire(wire, (id) => String(id).startsWith(prefix));
  const ask = createAsk(probe, prefix, options);
  const { activity } = options;
  const asked = discover(ask);
  const early = await (activity ? Promise.race([asked, activity.ignored.then(nothing)]) : asked);
  if (early) return { kind: "asked", outcome: early, hasRefusedInitialize: false };

  // The process may still be starting and will then read all messages in order. Some servers take an `initialize` after
  // `server/discover` for a client that fell back; a modern request in between commits them to the modern era.
  void ask(method.listTools);
  let refusal: unknown;
  const opened = options.initialize(session).catch((error: unknown) => {
    refusal = error;
    return undefined;
  });
  const answered: Connection | ProbeOutcome = await Promise.race([
    asked,
    opened.then<Connection | ProbeOutcome>((connection) => connection ?? asked),
  ]);
  if ("dispatch" in answered) {
    keepSession();
    return { kind: "session", connection: answered, isCertain: false };
  }
  const { kind } = decideStdio(wire.peer, answered);
  if (kind === "modern") {
    dropSession();
    const confirmed = await discover(ask);
    if (decideStdio(wire.peer, confirmed).kind !== "modern") return { kind: "locked" };
    return { kind: "asked", outcome: answered, hasRefusedInitialize: false };
  }
  if (kind === "legacy" && isAnswer(answered)) {
    const connection = await opened;
    if (!connection) return { kind: "asked", outcome: answered, hasRefusedInitialize: true };
    keepSession();
    return { kind: "session", connection, isCertain: true };
  }
  dropSession();
  if (isMcpError(refusal)) return { kind: "failed", error: refusal };
  return { kind: "asked", outcome: answered, hasRefusedInitialize: false };
}

/** True for a response of the server, as opposed to silence and exit. */
export function isAnswer(outcome: ProbeOutcome): boolean {
  return "result" in outcome || isMcpError(outcome.error);
}

type Ask = (requested: string) => Promise<ProbeOutcome>;

function createAsk(probe: MessageWire, prefix: string, options: FirstExchangeOptions): Ask {
  const { clientInfo = defaultClientInfo, capabilities = {}, startTimeoutMs, activity } = options;
  const { build } = createRequestBuilder({ clientInfo, capabilities, revision: modelRevision });
  const requester = createRequester(probe);
  void probe.closed.then(requester.end);
  probe.onMessage = (message) => {
    if ("method" in message) activity?.onStdout();
    else requester.settle(message);
  };
  let count = 0;
  return async (requested) => {
    const params: JsonObject = build(requested, {}).params;
    count += 1;
    try {
      const result = await requester.requestWithin(startTimeoutMs, requested, params, `${prefix}-${count}`);
      return { result: result as Result };
    } catch (error) {
      return { error };
    }
  };
}

// D.2/2. Repeated once if the server offers the version that it just rejected (J-22).
async function discover(ask: Ask): Promise<ProbeOutcome> {
  const first = await ask(method.discover);
  if ("result" in first || !selectModern(offeredVersionsOf(first.error) ?? [])) return first;
  return await ask(method.discover);
}

function nothing(): undefined {
  return undefined;
}
