// The message on the wire that proves a feature (I-33).
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { inputRequestMethods, isTaskBegun, type WireMessage } from "../record/messages.ts";
import type { Feature } from "../script/script.ts";

export type Proof = (message: JsonObject, sender: WireMessage["sender"]) => boolean;

const isResult: Proof = ({ result }, sender) => sender === "server" && isJsonObject(result);
const has =
  (member: string): Proof =>
  ({ result }, sender) =>
    sender === "server" && isJsonObject(result) && result[member] !== undefined;
const asks =
  (method: string): Proof =>
  (message, sender) =>
    sender === "server" && (message.method === method || inputRequestMethods(message.result).includes(method));
const tells =
  (pattern: RegExp): Proof =>
  ({ method, id }, sender) =>
    sender === "server" && id === undefined && typeof method === "string" && pattern.test(method);
const isAcknowledged = tells(/^notifications\/subscriptions\/acknowledged$/);

export const proofs: Readonly<Record<Feature, Proof>> = {
  list: isResult,
  call: isResult,
  resources: has("contents"),
  prompts: has("messages"),
  completion: has("completion"),
  sampling: asks("sampling/createMessage"),
  elicitation: asks("elicitation/create"),
  roots: asks("roots/list"),
  progress: tells(/^notifications\/progress$/),
  logging: tells(/^notifications\/message$/),
  changes: tells(/^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/),
  subscriptions: (message, sender) => isAcknowledged(message, sender) || isResult(message, sender),
  background: ({ method, result }, sender) =>
    sender === "client" ? /^tasks\//.test(String(method)) : isTaskBegun(result),
};

/** The server asks the client, whose answer decides how the call goes on. */
export const asking: ReadonlySet<Feature> = new Set(["sampling", "elicitation", "roots"]);
