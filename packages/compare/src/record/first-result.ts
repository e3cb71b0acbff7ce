// The first tool result of a recording: what a user waits for.
import type { Recording, StepRecord } from "./recording.ts";

/** The step of the first tool call that succeeded. */
export function firstResultOf({ steps }: Pick<Recording, "steps">): StepRecord | undefined {
  return steps.find(({ feature, outcome }) => feature === "call" && outcome === "done");
}

/** From the start of the connection, including the start of a process, in ms. */
export function firstResultMsOf(recording: Pick<Recording, "steps">): number | undefined {
  const first = firstResultOf(recording);
  return first && first.endedAt - (recording.steps[0]?.startedAt ?? 0);
}
