// Roots (E-98): the folders that a client names to a server. They are advisory, not access control.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

export interface Root {
  /** A file:// URI. */
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

export interface ListRootsRequest {
  method: "roots/list";
  params?: JsonObject;
}

export interface ListRootsResult {
  roots: Root[];
}

export function isListRootsResult(value: unknown): value is ListRootsResult {
  if (!isJsonObject(value) || !Array.isArray(value.roots)) return false;
  return value.roots.every((root) => isJsonObject(root) && typeof root.uri === "string");
}
