// Checks on the params of a method. Each throws McpError -32602 that names the member, the expected type and the given one.
import { invalidParams } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject, nameOf } from "../jsonrpc/message.ts";

/** A required string. */
export function expectString(params: JsonObject, member: string): string {
  const value = params[member];
  if (typeof value !== "string") throw unexpected(member, "a string", value);
  return value;
}

/** A string, or undefined if absent. */
export function expectOptionalString(params: JsonObject, member: string): string | undefined {
  const value = params[member];
  if (value !== undefined && typeof value !== "string") throw unexpected(member, "a string", value);
  return value;
}

/** A required object. */
export function expectObject(params: JsonObject, member: string): JsonObject {
  const value = params[member];
  if (!isJsonObject(value)) throw unexpected(member, "an object", value);
  return value;
}

/** An object, or undefined if absent. */
export function expectOptionalObject(params: JsonObject, member: string): JsonObject | undefined {
  const value = params[member];
  if (value !== undefined && !isJsonObject(value)) throw unexpected(member, "an object", value);
  return value;
}

/** A boolean, or undefined if absent. */
export function expectOptionalBoolean(params: JsonObject, member: string): boolean | undefined {
  const value = params[member];
  if (value !== undefined && typeof value !== "boolean") throw unexpected(member, "a boolean", value);
  return value;
}

/** McpError -32602 that names the member, the expected type and the type of `value`. */
export function unexpected(member: string, expected: string, value: unknown): Error {
  return invalidParams(`invalid params: "${member}" must be ${expected}, got ${nameOf(value)}`);
}
