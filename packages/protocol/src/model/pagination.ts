// Pagination (E.6): a cursor is opaque, and "" is a valid one.
import type { JsonObject } from "../jsonrpc/message.ts";
import { expectOptionalString } from "./expect.ts";

/** Params of a list request. */
export interface PageParams {
  cursor?: string;
}

/** Members of a list result. */
export interface Page {
  // E-45
  /** Opaque. Absent on the last page. */
  nextCursor?: string;
}

/** Throws McpError -32602 for a cursor that is not a string. */
export function parsePageParams(params: JsonObject): PageParams {
  const cursor = expectOptionalString(params, "cursor");
  return cursor === undefined ? {} : { cursor };
}
