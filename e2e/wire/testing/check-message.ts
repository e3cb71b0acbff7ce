// Validates a message with the schema of its revision. Loads each schema on first use.
import type { JsonObject } from "@lethe/protocol";
import { isLegacyRevision, type LegacyRevision } from "@lethe/protocol/revisions";
import { createMessageCheck as createLegacyCheck } from "../../server-legacy/legacy-schema.ts";
import { createMessageCheck as createModernCheck, type MessageCheck } from "../wire-schema.ts";

export const modelRevision = "2026-07-28";
export const legacyRevisions: readonly LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const everyRevision: readonly string[] = [modelRevision, ...legacyRevisions];

const checks = new Map<string, MessageCheck>();

/** Empty if the message is valid in one of its possible revisions. */
export function problemsOf(message: JsonObject, revisions: readonly string[], requestMethod: string): string[] {
  let problems: string[] = [];
  for (const revision of revisions) {
    problems = checkOf(revision)(message, requestMethod);
    if (problems.length === 0) break;
  }
  return problems;
}

function checkOf(revision: string): MessageCheck {
  const known = checks.get(revision);
  if (known) return known;
  const check = isLegacyRevision(revision) ? createLegacyCheck(revision) : createModernCheck();
  checks.set(revision, check);
  return check;
}
