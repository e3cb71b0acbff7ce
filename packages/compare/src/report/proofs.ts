// Defines which message on the wire proves a feature (I-33).
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { createsTask, inputRequestMethods, type WireMessage } from "../record/messages.ts";
import type { Feature } from "../script/script.ts";

export type Proof = (message: JsonObject, sender: WireMessage["sender"]) => boolean;

const isResult: Proof = ({ result }, sender) => sender === "server" && isJsonObject(result);
const has =
  (member: string): Proof =>
  ({ result }, sender) =>
    sender === "server" && isJsonObject(result) && result[member] !== undefined;
const requests =
  (method: string): Proof =>
  (message, sender) =>
    sender === "server" && (message.method === method || inputRequestMethods(message.result).includes(method));
const notifies =
  (pattern: RegExp): Proof =>
  ({ method, id }, sender) =>
    sender === "server" && id === undefined && typeof method === "string" && pattern.test(method);
const isAcknowledged = notifies(/^notifications\/subscriptions\/acknowledged$/);

export const proofs: Readonly<Record<Feature, Proof>> = {
  list: isResult,
  call: isResult,
  resources: has("contents"),
  prompts: has("messages"),
  completion: has("completion"),
  sampling: requests("sampling/createMessage"),
  elicitation: requests("elicitation/create"),
  roots: requests("roots/list"),
  progress: notifies(/^notifications\/progress$/),
  logging: notifies(/^notifications\/message$/),
  changes: notifies(/^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/),
  subscriptions: (message, sender) => isAcknowledged(message, sender) || isResult(message, sender),
  background: ({ method, result }, sender) =>
    sender === "client" ? /^tasks\//.test(String(method)) : createsTask(result),
};

/** Features in which the server sends the client an input request. */
export const inputFeatures: ReadonlySet<Feature> = new Set(["sampling", "elicitation", "roots"]);
