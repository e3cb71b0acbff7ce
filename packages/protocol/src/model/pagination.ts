// Pagination (E.6): a cursor is opaque, and "" is a valid one.
import type { JsonObject } from "../jsonrpc/message.ts";
import { expectOptionalString } from "./expect.ts";

export interface PageParams {
  cursor?: string;
}

export interface Page {
  // E-45
  /** Opaque. Absent on the last page. */
  nextCursor?: string;
}

export function parsePageParams(params: JsonObject): PageParams {
  const cursor = expectOptionalString(params, "cursor");
  return cursor === undefined ? {} : { cursor };
}
