// The audit trail: one JSON object per line. One write appends each line, so that processes may share the file.
import { appendFile } from "node:fs/promises";

export interface AuditEntry {
  bug: number;
  resolution: string;
  /** The caller, or absent without authorization. */
  by?: string;
  /** The time in ISO 8601. */
  at: string;
}

export type Audit = (entry: AuditEntry) => Promise<void>;

/** `appendFile` opens the file with O_APPEND, so lines of two processes never mix. */
export function createFileAudit(path: string): Audit {
  return (entry) => appendFile(path, `${JSON.stringify(entry)}\n`);
}
