// What a call takes and gives, where the compiler knows the tools of the server (E-68). A server whose tools it does not
// know takes any name and any object.
import type { CallToolResult, JsonObject, ToolType, ToolTypesOf } from "@lethe/protocol";
import type { ToolCallOptions } from "./client-options.ts";
import type { ParsedToolResult } from "./parse-output.ts";

/** `Target` is the type of a server: `typeof server`. */
export type ToolName<Target> = [keyof ToolTypesOf<Target>] extends [never]
  ? string
  : keyof ToolTypesOf<Target> & string;

export type ToolArgs<Target, Name> = Name extends keyof ToolTypesOf<Target>
  ? Known<ToolTypesOf<Target>[Name], "input", JsonObject>
  : JsonObject | undefined;

/** What follows the name: arguments may be left out where none are needed. */
export type ToolCallRest<Target, Name> =
  undefined extends ToolArgs<Target, Name>
    ? [args?: JsonObject, options?: ToolCallOptions]
    : Record<never, never> extends ToolArgs<Target, Name>
      ? [args?: ToolArgs<Target, Name>, options?: ToolCallOptions]
      : [args: ToolArgs<Target, Name>, options?: ToolCallOptions];

/** What the definition promises. Nothing but `output` or `createValidator` holds the server to it. */
export type ToolResult<Target, Name> = Name extends keyof ToolTypesOf<Target>
  ? unknown extends Known<ToolTypesOf<Target>[Name], "output", unknown>
    ? CallToolResult
    : ParsedToolResult<Known<ToolTypesOf<Target>[Name], "output", unknown>>
  : CallToolResult;

/** One side of a tool; `Otherwise` when its schema has no types. */
type Known<Tool, Side extends keyof ToolType, Otherwise> = Tool extends ToolType
  ? unknown extends Tool[Side]
    ? Otherwise
    : Tool[Side]
  : Otherwise;
