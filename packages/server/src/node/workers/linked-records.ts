// Small records with versions that workers share through their parent.
import type { JsonObject } from "@lethe/protocol";
import type { ParentLink } from "./parent-link.ts";

/** The methods reject with a retryable McpError while the parent does not answer. */
export interface LinkedRecords {
  /** Undefined for a record that is unknown or has expired. */
  read(key: string): Promise<{ readonly value: JsonObject; readonly version: number } | undefined>;
  /**
   * Replaces the record that had `version`, or creates it with version 0. Returns false if another worker was faster. The record expires
   * after `ttlMs`. Rejects with RangeError when it is too large.
   */
  write(key: string, value: JsonObject, options: { version: number; ttlMs: number }): Promise<boolean>;
}

/** Characters of a record as JSON. */
const maxSize = 1024 * 1024;

export function createLinkedRecords(link: ParentLink, space: string): LinkedRecords {
  return {
    async read(key) {
      const found = await link.request<{ text: string; version: number } | undefined>("records.read", space, key);
      return found && { value: JSON.parse(found.text) as JsonObject, version: found.version };
    },
    async write(key, value, { version: expected, ttlMs }) {
      const text = JSON.stringify(value);
      if (text.length > maxSize)
        throw new RangeError(`a record of at most ${maxSize} characters expected, got ${text.length}`);
      return (await link.request("records.write", space, key, text, { expected, ttlMs })) !== undefined;
    },
  };
}
