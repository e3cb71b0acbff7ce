// Recognises servers, whichever copy of @lethe/server made them.
import type { Servable } from "@lethe/server/node";

export function isServer(value: unknown): value is Servable {
  return isObject(value) && typeof value.dispatch === "function";
}

/** A server of the official SDK. */
export function isOfficialServer(value: unknown): boolean {
  return isObject(value) && typeof value.connect === "function" && /^(Mcp)?Server$/.test(value.constructor?.name ?? "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
