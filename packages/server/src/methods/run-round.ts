// Runs the handler of a request that may be a retry (E-24), each round once (E-28).
import { clientCapabilitiesOf, type Result } from "@lethe/protocol";
import type { InputRequired } from "../features/input-required.ts";
import type { Awaitable } from "../features/literal-hint.ts";
import { type InteractionHost, openRound, runWithInteraction } from "../interaction/run-with-interaction.ts";
import { digestOf } from "../seal/digest.ts";
import { callerMessageOf } from "./caller-message.ts";

/** Like `runWithInteraction`. A request without a state has no extra cost. */
export function runRound<T extends Result>(
  host: InteractionHost,
  run: () => T | InputRequired | Promise<T | InputRequired>,
): Awaitable<Result> {
  if (host.request.params.requestState === undefined) return runWithInteraction(host, run);
  return answerOnce(host, async () => runWithInteraction(host, run));
}

/**
 * Opens the state, then calls `run` unless an identical request was answered. An error leaves the state usable when the
 * handler had no new response by then, and so no new effect.
 */
export async function answerOnce(host: InteractionHost, run: () => Promise<Result>): Promise<Result> {
  const { request, caller, interactionSettings } = host;
  const { requestState, inputResponses } = request.params;
  if (typeof requestState !== "string") return run();
  const opened = await openRound(host, requestState);
  host.openedRound = opened;
  const { singleUse } = interactionSettings;
  if (!singleUse || host.keepsState) return run();
  const { id, expiresAt } = opened;
  const inputs = await digestOf([inputResponses ?? null, clientCapabilitiesOf(request)]);
  const round = { id, callerId: caller?.id, expiresAt, inputs };
  return singleUse.answer(round, run, {
    isUnused: () => opened.interaction?.hasNews !== true,
    messageOf: callerMessageOf,
  });
}
