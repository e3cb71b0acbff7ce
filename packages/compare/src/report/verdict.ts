// Judges which features work over a transport, from the outcome of each step and the messages that prove it (I-33).
import { toMessages, type WireMessage } from "../record/messages.ts";
import type { Recording, StepRecord } from "../record/recording.ts";
import type { Feature } from "../script/script.ts";
import { toEvidence, type Verdict } from "./evidence.ts";
import { toFailureText } from "./failure-text.ts";
import { explainMissingTask } from "./missing-task.ts";
import { judgeObserved, type Shown } from "./observed.ts";
import { proofs } from "./proofs.ts";

export type { Verdict } from "./evidence.ts";

/** `shown` names the tools that showed a feature in any recording of the comparison. */
export function judge(recording: Recording, shown: Shown = new Map()): Verdict[] {
  const messages = toMessages(recording);
  const verdicts = new Map<Feature, Verdict>();
  for (const step of recording.steps) {
    if (step.feature === undefined) continue;
    const feature = step.feature as Feature;
    const verdict =
      step.outcome === "observed"
        ? judgeObserved(step, messages, { recording, shown })
        : judgeStep(step, messages, recording);
    verdicts.set(feature, better(verdicts.get(feature), verdict));
  }
  return [...verdicts.values()];
}

/** If several steps try one feature, such as the calls of a survey, one success is enough. */
function better(before: Verdict | undefined, verdict: Verdict): Verdict {
  const order = ["✓", "✗", "—"];
  return before && order.indexOf(before.mark) <= order.indexOf(verdict.mark) ? before : verdict;
}

function judgeStep(step: StepRecord, messages: readonly WireMessage[], recording: Recording): Verdict {
  const { transport } = recording;
  const feature = step.feature as Feature;
  if (step.outcome === "skipped") return { feature, mark: "—", evidence: step.detail };
  const during = messages.filter(({ at }) => at >= step.startedAt && at <= step.endedAt);
  // A server requests roots once, at any time, and remembers them.
  const heard = feature === "roots" ? messages.filter(({ at }) => at <= step.endedAt) : during;
  const proof = heard.filter(({ sender, message }) => proofs[feature](message, sender));
  if (feature === "background" && proof.length === 0) {
    const reason = explainMissingTask(during, messages, recording);
    if (reason !== undefined) return { feature, mark: "—", evidence: reason };
  }
  if (step.outcome === "failed") return { feature, mark: "✗", evidence: toFailureText(step, during, recording) };
  if (proof.length === 0) return { feature, mark: "✗", evidence: `${step.detail}, but no message proves it` };
  return { feature, mark: "✓", evidence: toEvidence(proof.slice(0, 3), transport) };
}
