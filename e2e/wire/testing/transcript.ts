// The messages that one side of a connection wrote, each validated with the schema of its revision. Messages of the other
// side only identify the answered requests, and may be invalid.
import { isJsonObject, type JsonObject, metaKey } from "@lethe/protocol";
import { isLaterRevision, isLegacyRevision } from "@lethe/protocol/revisions";
import { everyRevision, legacyRevisions, modelRevision, problemsOf } from "./check-message.ts";

/** The problems since the last call. */
const found: string[] = [];

export function takeProblems(): string[] {
  return found.splice(0);
}

interface Asked {
  readonly method: string;
  readonly isModern: boolean;
}

export interface Transcript {
  /** A JSON value that the other side sent: a message, an array of them, or anything else. */
  heard(value: unknown): void;
  /** A JSON value that the checked side sent. */
  wrote(value: unknown): void;
}

/** `named` is the revision that the transport names, for example in a header. */
export function createTranscript(writer: "client" | "server", named: () => string | undefined): Transcript {
  /** Requests of the other side, by id. */
  const asked = new Map<unknown, Asked>();
  const eras = new Set<"modern" | "legacy">();
  let agreed: string | undefined;

  function note(message: JsonObject, isHeard: boolean): void {
    if (typeof message.method !== "string" || !("id" in message)) return;
    const isModern = isModernRequest(message);
    eras.add(isModern ? "modern" : "legacy");
    if (isHeard) asked.set(message.id, { method: message.method, isModern });
  }

  function revisionsOf(message: JsonObject, answered: Asked | undefined): readonly string[] {
    if (isModernRequest(message) || answered?.isModern) return [modelRevision];
    if ("error" in message || (!answered && eras.size !== 1)) return everyRevision;
    if (!answered && eras.has("modern")) return [modelRevision];
    const { result } = message;
    if (answered?.method === "initialize" && isJsonObject(result)) agreed = String(result.protocolVersion);
    const revision = agreed ?? named();
    return isLegacyRevision(revision) ? [revision] : legacyRevisions;
  }

  function check(message: unknown): void {
    if (!isJsonObject(message) || message.jsonrpc !== "2.0") {
      found.push(`a ${writer} wrote an invalid message: ${JSON.stringify(message)}`);
      return;
    }
    const answered = "method" in message ? undefined : asked.get(message.id);
    // The response to a request on another connection.
    if ("result" in message && !answered) return;
    const method = message.method ?? answered?.method;
    if (method !== undefined && isOwnMethod(method)) return;
    // No schema describes it.
    if (isLaterRevision(named() ?? "")) return;
    const revisions = revisionsOf(message, answered);
    const problems = problemsOf(message, revisions, answered?.method ?? "");
    if (writer === "server" && isQuestion(message) && revisions[0] === modelRevision && revisions.length === 1) {
      problems.push("a server of this revision asks nothing (A-3)");
    }
    if (problems.length === 0) return;
    found.push(`a ${writer} wrote ${JSON.stringify(message).slice(0, 2_000)}\n  ${problems.join("\n  ")}`);
  }

  return {
    heard(value) {
      for (const message of [value].flat()) if (isJsonObject(message)) note(message, true);
    },
    wrote(value) {
      for (const message of [value].flat()) {
        if (writer === "client" && isJsonObject(message)) note(message, false);
        check(message);
      }
    },
  };
}

function isQuestion(message: JsonObject): boolean {
  return "method" in message && "id" in message;
}

function isModernRequest({ params }: JsonObject): boolean {
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && meta[metaKey.protocolVersion] !== undefined;
}

const families = ["tools", "prompts", "resources", "completion", "subscriptions", "server", "tasks", "notifications"];
const others = ["initialize", "ping", "logging/setLevel", "elicitation/create", "sampling/createMessage", "roots/list"];

/** No schema contains an author's custom methods. */
function isOwnMethod(method: unknown): boolean {
  const [family = ""] = String(method).split("/");
  return !families.includes(family) && !others.includes(String(method));
}
