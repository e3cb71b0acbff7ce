// Judges features that only the tool calls of a survey show. A call without a feature counts as a failure only if the same tool
// shows the feature in another recording of the comparison.
import { toMessages, type WireMessage } from "../record/messages.ts";
import type { Recording, StepRecord } from "../record/recording.ts";
import type { Feature } from "../script/script.ts";
import { toEvidence, type Verdict } from "./evidence.ts";
import { toFailureText } from "./failure-text.ts";
import { inputFeatures, proofs } from "./proofs.ts";

/** For each feature and tool, the title of the first recording in which the tool showed the feature. */
export type Shown = ReadonlyMap<Feature, ReadonlyMap<string, string>>;

interface Call {
  readonly step: StepRecord;
  readonly tool: string;
  /** All messages until the next step, because a notification may follow the result. */
  readonly messages: readonly WireMessage[];
}

export function toShown(recordings: readonly Recording[]): Shown {
  const shown = new Map<Feature, Map<string, string>>();
  for (const recording of recordings) {
    const calls = callsOf(recording, toMessages(recording));
    for (const { feature, outcome } of recording.steps) {
      if (outcome !== "observed") continue;
      const tools = shown.get(feature as Feature) ?? new Map<string, string>();
      shown.set(feature as Feature, tools);
      for (const call of calls) {
        if (!tools.has(call.tool) && proofOf(feature as Feature, call).length > 0)
          tools.set(call.tool, recording.title);
      }
    }
  }
  return shown;
}

interface Context {
  readonly recording: Recording;
  readonly shown: Shown;
}

export function judgeObserved(step: StepRecord, all: readonly WireMessage[], { recording, shown }: Context): Verdict {
  const feature = step.feature as Feature;
  const { transport } = recording;
  const calls = callsOf(recording, all);
  const showing = calls.filter((call) => proofOf(feature, call).length > 0);
  // The client's response must also have reached the call.
  const working = showing.find((call) => !inputFeatures.has(feature) || call.step.outcome === "done");
  if (working) {
    const proof = proofOf(feature, working).slice(0, 3);
    return { feature, mark: "✓", evidence: `${toEvidence(proof, transport)} (${working.tool})` };
  }
  const [failed] = showing;
  if (failed) return { feature, mark: "✗", evidence: toFailed(failed, recording) };
  const tools = shown.get(feature);
  const missing = calls.find(({ tool }) => tools?.has(tool));
  if (missing) {
    const elsewhere = `${missing.tool} shows it over ${tools?.get(missing.tool)}`;
    const here = missing.step.outcome === "done" ? "here its call ended without it" : "here its call failed";
    return { feature, mark: "✗", evidence: `${elsewhere}; ${here}: ${toFailed(missing, recording)}` };
  }
  return { feature, mark: "—", evidence: toUnshown(feature, step.detail, calls.length) };
}

function toFailed({ tool, step, messages }: Call, recording: Recording): string {
  if (step.outcome === "done") {
    const answer = messages.filter(({ message, sender }) => sender === "server" && "result" in message).slice(-1);
    return `${toEvidence(answer, recording.transport)} (${tool})`;
  }
  const during = messages.filter(({ at }) => at <= step.endedAt);
  return `${tool}: ${toFailureText(step, during, recording)}`;
}

const unshown: Partial<Record<Feature, string>> = {
  sampling: "no call requested it",
  elicitation: "no call requested it",
  roots: "no call requested it",
  progress: "no call reported progress, although each gave a progress token",
  logging: "no call logged anything",
  changes: "no list changed",
};

function toUnshown(feature: Feature, detail: string, calls: number): string {
  const what = calls === 0 ? undefined : unshown[feature];
  return what === undefined ? detail : `${what}; ${detail}`;
}

function proofOf(feature: Feature, { messages }: Call): WireMessage[] {
  return messages.filter(({ sender, message }) => proofs[feature](message, sender));
}

function callsOf({ steps }: Recording, messages: readonly WireMessage[]): Call[] {
  const tried = steps.filter(({ outcome }) => outcome !== "observed");
  return tried.flatMap((step, index) => {
    const { tool, feature, startedAt } = step;
    if (tool === undefined || feature !== "call") return [];
    const end = tried[index + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
    return [{ step, tool, messages: messages.filter(({ at }) => at >= startedAt && at < end) }];
  });
}
