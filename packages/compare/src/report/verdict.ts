// Which features work over a way: what the client got, and the messages on the wire that prove it (I-33).
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { isTaskBegun, questionsOf, toMessages, toWords, type WireMessage } from "../record/messages.ts";
import type { Recording, StepRecord } from "../record/recording.ts";
import type { Feature } from "../script/script.ts";

export interface Verdict {
  readonly feature: Feature;
  /** ✓ it worked, and the wire shows it; ✗ it was tried and did not; — it was not tried. */
  readonly mark: "✓" | "✗" | "—";
  /** Numbers of exchanges or lines with what they carried, or the reason. */
  readonly evidence: string;
}

export function judge(recording: Recording): Verdict[] {
  const messages = toMessages(recording);
  return recording.steps.flatMap((step) => (step.feature === undefined ? [] : [judgeStep(step, messages, recording)]));
}

function judgeStep(step: StepRecord, messages: readonly WireMessage[], { transport }: Recording): Verdict {
  const feature = step.feature as Feature;
  if (step.outcome === "skipped") return { feature, mark: "—", evidence: step.detail };
  const during = messages.filter(({ at }) => at >= step.startedAt && at <= step.endedAt);
  const said = (proof: WireMessage[]): string => joinCounted(proof.map((message) => toEvidence(message, transport)));
  if (step.outcome === "failed") {
    const answers = during.filter(
      ({ message, sender }) => sender === "server" && ("result" in message || "error" in message),
    );
    const failure = answers.find(({ message }) => isFailure(message)) ?? answers.at(-1);
    return { feature, mark: "✗", evidence: [failure && said([failure]), step.detail].filter(Boolean).join(": ") };
  }
  // Roots are asked for once, when the server likes, and remembered.
  const heard = feature === "roots" ? messages.filter(({ at }) => at <= step.endedAt) : during;
  const proof = heard.filter(({ sender, message }) => proofs[feature](message, sender));
  if (proof.length === 0) return { feature, mark: "✗", evidence: `${step.detail}, but the wire does not show it` };
  return { feature, mark: "✓", evidence: said(proof.slice(0, 3)) };
}

/** "3 × #12 ← notifications/progress" */
function joinCounted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count === 1 ? word : `${count} × ${word}`)).join("; ");
}

type Proof = (message: JsonObject, sender: WireMessage["sender"]) => boolean;

const isResult: Proof = ({ result }, sender) => sender === "server" && isJsonObject(result);
const asks =
  (method: string): Proof =>
  (message, sender) =>
    sender === "server" && (message.method === method || questionsOf(message.result).includes(method));
const tells =
  (pattern: RegExp): Proof =>
  ({ method, id }, sender) =>
    sender === "server" && id === undefined && typeof method === "string" && pattern.test(method);

const proofs: Readonly<Record<Feature, Proof>> = {
  list: isResult,
  call: isResult,
  sampling: asks("sampling/createMessage"),
  elicitation: asks("elicitation/create"),
  roots: asks("roots/list"),
  progress: tells(/^notifications\/progress$/),
  logging: tells(/^notifications\/message$/),
  changes: tells(/^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/),
  background: ({ method, result }, sender) =>
    sender === "client" ? /^tasks\//.test(String(method)) : isTaskBegun(result),
};

function isFailure({ error, result }: JsonObject): boolean {
  return isJsonObject(error) || (isJsonObject(result) && result.isError === true);
}

function toEvidence({ number, sender, message }: WireMessage, transport: Recording["transport"]): string {
  const place = transport === "http" ? `#${number}` : `line ${number}`;
  return `${place} ${sender === "server" ? "←" : "→"} ${toWords(message)}`;
}
