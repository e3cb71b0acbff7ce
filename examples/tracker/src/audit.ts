// The audit trail: one JSON object per line. A line is appended in one write, so that processes may share the file.
import { appendFile } from "node:fs/promises";

export interface AuditEntry {
  bug: number;
  resolution: string;
  /** Who decided; absent when authorization is off. */
  by?: string;
  /** ISO 8601. */
  at: string;
}

export type Audit = (entry: AuditEntry) => Promise<void>;

/** `appendFile` opens with O_APPEND: what two processes write never mixes. */
export function createFileAudit(path: string): Audit {
  return (entry) => appendFile(path, `${JSON.stringify(entry)}\n`);
}
