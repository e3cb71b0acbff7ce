// Why a step failed: the message that says so, or why none came: the server asked the client, and the answer led nowhere.
import type { WireMessage } from "../record/messages.ts";
import type { Recording, StepRecord } from "../record/recording.ts";
import { toEvidence, toFailure, toReference } from "./evidence.ts";

const questions = /^(?:sampling\/createMessage|elicitation\/create|roots\/list)$/;

/** Undefined when the server answered after all. */
function explainSilence(during: readonly WireMessage[], recording: Recording): string | undefined {
  const question = during.findLast(
    ({ sender, message }) => sender === "server" && message.id !== undefined && questions.test(String(message.method)),
  );
  const { transport } = recording;
  if (!question) {
    const isHeard = during.some(({ sender }) => sender === "server");
    const isRequest = ({ sender, message }: WireMessage): boolean =>
      sender === "client" && typeof message.method === "string" && message.id !== undefined;
    const sent = during.filter(isRequest).slice(0, 1);
    return isHeard || sent.length === 0 ? undefined : `${toEvidence(sent, transport)}, and then nothing came`;
  }
  const asked = `the server asked (${toEvidence([question], transport)})`;
  const answer = during.find(
    ({ at, sender, message }) =>
      sender === "client" && at >= question.at && message.id === question.message.id && message.method === undefined,
  );
  if (!answer) return `${asked}, and the client sent no answer`;
  const isAnswered = during.some(
    ({ at, sender, message }) => sender === "server" && at > answer.at && ("result" in message || "error" in message),
  );
  if (isAnswered) return undefined;
  const place = toReference(answer.number, transport);
  const status = recording.exchanges.find(({ number }) => number === answer.number)?.response?.status;
  const taken = status === undefined ? `the answer was sent (${place})` : `the answer was sent (${place} ← ${status})`;
  return `${asked}, ${taken}, and then nothing came${isWithoutSession(recording) ? noSession : ""}`;
}

const noSession = ": the server gave no session id, so that an answer on its own request cannot reach the call";

function isWithoutSession({ transport, exchanges }: Recording): boolean {
  const hasHeader = exchanges.some(({ request }) => request.headers.some(([name]) => /^mcp-session-id$/i.test(name)));
  const isByStream = exchanges.some(({ request }) => /[?&]session_?id=/i.test(request.target));
  return transport === "http" && !hasHeader && !isByStream;
}

export function toFailureText(step: StepRecord, during: readonly WireMessage[], recording: Recording): string {
  const silence = explainSilence(during, recording);
  if (silence !== undefined) return `${silence}: ${step.detail}`;
  const failure = toFailure(during);
  return [failure && toEvidence([failure], recording.transport), step.detail].filter(Boolean).join(": ");
}
