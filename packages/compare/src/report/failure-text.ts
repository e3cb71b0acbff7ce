// Explains why a step failed: the error response, or the reason why no response arrived.
import type { WireMessage } from "../record/messages.ts";
import type { Recording, StepRecord } from "../record/recording.ts";
import { toEvidence, toFailure, toReference } from "./evidence.ts";

const inputRequestMethod = /^(?:sampling\/createMessage|elicitation\/create|roots\/list)$/;

/** Returns undefined if the server answered. */
function explainMissingResponse(during: readonly WireMessage[], recording: Recording): string | undefined {
  const inputRequest = during.findLast(
    ({ sender, message }) =>
      sender === "server" && message.id !== undefined && inputRequestMethod.test(String(message.method)),
  );
  const { transport } = recording;
  if (!inputRequest) {
    const hasServerMessage = during.some(({ sender }) => sender === "server");
    const isRequest = ({ sender, message }: WireMessage): boolean =>
      sender === "client" && typeof message.method === "string" && message.id !== undefined;
    const sent = during.filter(isRequest).slice(0, 1);
    return hasServerMessage || sent.length === 0
      ? undefined
      : `${toEvidence(sent, transport)}, and no response followed`;
  }
  const requested = `the server requested input (${toEvidence([inputRequest], transport)})`;
  const clientResponse = during.find(
    ({ at, sender, message }) =>
      sender === "client" &&
      at >= inputRequest.at &&
      message.id === inputRequest.message.id &&
      message.method === undefined,
  );
  if (!clientResponse) return `${requested}, and the client did not respond`;
  const isAnswered = during.some(
    ({ at, sender, message }) =>
      sender === "server" && at > clientResponse.at && ("result" in message || "error" in message),
  );
  if (isAnswered) return undefined;
  const reference = toReference(clientResponse.number, transport);
  const status = recording.exchanges.find(({ number }) => number === clientResponse.number)?.response?.status;
  const responded =
    status === undefined ? `the client responded (${reference})` : `the client responded (${reference} ← ${status})`;
  return `${requested}, ${responded}, and no response to the call followed${isWithoutSession(recording) ? noSession : ""}`;
}

const noSession = ": the server issued no session id, so a response in a separate request cannot reach the call";

function isWithoutSession({ transport, exchanges }: Recording): boolean {
  const hasHeader = exchanges.some(({ request }) => request.headers.some(([name]) => /^mcp-session-id$/i.test(name)));
  const isByStream = exchanges.some(({ request }) => /[?&]session_?id=/i.test(request.target));
  return transport === "http" && !hasHeader && !isByStream;
}

export function toFailureText(step: StepRecord, during: readonly WireMessage[], recording: Recording): string {
  const missing = explainMissingResponse(during, recording);
  if (missing !== undefined) return `${missing}: ${step.detail}`;
  const failure = toFailure(during);
  return [failure && toEvidence([failure], recording.transport), step.detail].filter(Boolean).join(": ");
}
