// Attributes an elicitation, sampling or roots request of a legacy server to a call. Only certain evidence counts: the stream of a
// call, the only call in progress that may ask, or a conversation that all such calls belong to. Otherwise no call owns it.
import { isInputMethod, type OpenMap, type RequestId } from "@lethe/protocol";
import { type Call, isForeign } from "./call.ts";
import type { ElicitingTools } from "./eliciting-tools.ts";
import type { Turns } from "./turns.ts";

export interface Attribution {
  /** The call that owns a request of the server. `origin` is the request on whose stream it came. */
  ownerOf(origin: RequestId | undefined, canBeAsked: (call: Call) => boolean): Owner;
  /** Another call of the same conversation, for a request of a call that has ended. */
  nextOf(ended: Call, canBeAsked: (call: Call) => boolean): Call | undefined;
  /** Whether all calls in progress certainly belong to one user, so that messages without an origin do too. */
  isOneConversation(): boolean;
}

export type Owner =
  | { readonly call: Call; readonly isUncertain: boolean }
  | { readonly call?: undefined; readonly why: "none" | "several" };

export interface AttributionContext {
  readonly running: Pick<OpenMap<Call>, "get" | "values">;
  readonly turns: Turns;
  readonly tools: ElicitingTools;
}

const none: Owner = { why: "none" };
const several: Owner = { why: "several" };

export function createAttribution({ running, turns, tools }: AttributionContext): Attribution {
  let isAnyTool = false;
  const { cancelled } = turns;

  function ownerOf(origin: RequestId | undefined, canBeAsked: (call: Call) => boolean): Owner {
    if (origin !== undefined) {
      const call = running.get(origin);
      return call && isInputMethod(call.request.method) ? { call, isUncertain: false } : none;
    }
    turns.require();
    const known = candidates();
    const calls = known.length > 0 ? known : others();
    const [first] = calls;
    if (!first) return none;
    if (calls.some((call) => isForeign(call, first)) || !cancelled.areOf(first)) {
      suspect(calls);
      return several;
    }
    if (calls.length === 1 && cancelled.size === 0) return { call: first, isUncertain: false };
    return { call: likeliest(calls, canBeAsked) ?? first, isUncertain: true };
  }

  function candidates(): Call[] {
    const sent = running.values.filter(({ isSent, request }) => isSent && isInputMethod(request.method));
    return isAnyTool ? sent : sent.filter(({ turn }) => turn !== "none");
  }

  /** A tool asks although the operator stated that it does not: any tool may ask. */
  function others(): Call[] {
    if (cancelled.size > 0) return [];
    tools.distrust();
    isAnyTool = true;
    return candidates();
  }

  /** Any of these calls may have sent the request, so their tools no longer run beside others. */
  function suspect(calls: readonly Call[]): void {
    for (const { request } of [...calls, ...cancelled.calls]) tools.learn(request, true);
  }

  return {
    ownerOf,
    nextOf(ended, canBeAsked) {
      const calls = candidates().filter((call) => call !== ended && !isForeign(call, ended));
      return likeliest(calls, canBeAsked);
    },
    isOneConversation() {
      const calls = running.values.filter(({ isSent }) => isSent);
      const [first] = calls;
      return !first || (!calls.some((call) => isForeign(call, first)) && cancelled.areOf(first));
    },
  };
}

/** Prefers waiting calls without an input request, then waiting calls; among equals the newest. */
function likeliest(calls: readonly Call[], canBeAsked: (call: Call) => boolean): Call | undefined {
  let best: Call | undefined;
  let highest = 0;
  for (const call of calls) {
    const likelihood = canBeAsked(call) ? likelihoodOf(call) : 0;
    if (best && likelihood < highest) continue;
    best = call;
    highest = likelihood;
  }
  return best;
}

function likelihoodOf({ round, inputRequests }: Call): number {
  if (!round) return 1;
  return inputRequests.size > 0 ? 2 : 3;
}
