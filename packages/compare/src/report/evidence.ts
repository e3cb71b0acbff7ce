// Formats messages as evidence: "#6 ← result", "3 × #12 ← notifications/progress".
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { describeMessage, type WireMessage } from "../record/messages.ts";
import type { Recording } from "../record/recording.ts";
import type { Feature } from "../script/script.ts";

/** Whether a feature works over a transport, with the messages that show it. */
export interface Verdict {
  readonly feature: Feature;
  /** ✓: the feature worked, and a message proves it. ✗: it was tried and failed. —: it was not requested. */
  readonly mark: "✓" | "✗" | "—";
  /** Messages with their exchange or line numbers, or the reason of a failure. */
  readonly evidence: string;
}

export function toEvidence(messages: readonly WireMessage[], transport: Recording["transport"]): string {
  const counts = new Map<string, number>();
  for (const { number, sender, message } of messages) {
    const word = `${toReference(number, transport)} ${sender === "server" ? "←" : "→"} ${describeMessage(message)}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => (count === 1 ? word : `${count} × ${word}`)).join("; ");
}

/** A reference that the HTML report turns into a link: "#6" or "line 6". */
export function toReference(number: number, transport: Recording["transport"]): string {
  return transport === "http" ? `#${number}` : `line ${number}`;
}

/** Returns the response that explains a failed step: an error, else the last response. */
export function toFailure(during: readonly WireMessage[]): WireMessage | undefined {
  const answers = during.filter(
    ({ message, sender }) => sender === "server" && ("result" in message || "error" in message),
  );
  return answers.find(({ message }) => isFailure(message)) ?? answers.at(-1);
}

function isFailure({ error, result }: JsonObject): boolean {
  return isJsonObject(error) || (isJsonObject(result) && result.isError === true);
}
