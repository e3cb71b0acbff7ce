// Tells one version of a handler from another, so that a journal is never replayed by code that did not write it.
import type { JsonObject } from "@lethe/protocol";
import { digestOf } from "../seal/digest.ts";

/** Made once per tool, prompt or resource. The same on all machines that run the same code. */
export interface HandlerMark {
  /** Computed at the first call. */
  text(): Promise<string>;
}

/**
 * The input schema and the version that the author declares. Editing a handler so that it asks differently takes a new
 * version; without one, calls that are under way fail on the first question that differs.
 */
export function createHandlerMark(handler: { inputSchema?: JsonObject; version?: string }): HandlerMark {
  const { inputSchema = null, version = null } = handler;
  let text: Promise<string> | undefined;
  return {
    text() {
      text ??= digestOf([inputSchema, version]);
      return text;
    },
  };
}
