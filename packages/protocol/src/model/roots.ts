// Roots (E-98): the folders that a client names to a server. They are advisory, not access control.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** A folder that the client names. */
export interface Root {
  /** A file:// URI. */
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

/** A roots request. */
export interface ListRootsRequest {
  method: "roots/list";
  params?: JsonObject;
}

/** The folders of the client. */
export interface ListRootsResult {
  roots: Root[];
}

/** True if `value` has the shape of a roots result. */
export function isListRootsResult(value: unknown): value is ListRootsResult {
  if (!isJsonObject(value) || !Array.isArray(value.roots)) return false;
  return value.roots.every((root) => isJsonObject(root) && typeof root.uri === "string");
}
