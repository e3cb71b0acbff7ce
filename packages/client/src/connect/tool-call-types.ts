// Argument and result types of a tool call, if the compiler knows the server's tools (E-68). Otherwise any name and any
// object are accepted.
import type { CallToolResult, JsonObject, ToolType, ToolTypesOf } from "@lethe/protocol";
import type { ToolCallOptions } from "./client-options.ts";
import type { ParsedToolResult } from "./parse-output.ts";

/** `Target` is the type of a server: `typeof server`. */
export type ToolName<Target> = [keyof ToolTypesOf<Target>] extends [never]
  ? string
  : keyof ToolTypesOf<Target> & string;

/** The arguments that a tool takes. Any object if the compiler does not know the tool. */
export type ToolArgs<Target, Name> = Name extends keyof ToolTypesOf<Target>
  ? Known<ToolTypesOf<Target>[Name], "input", JsonObject>
  : JsonObject | undefined;

/** The parameters after the name. Arguments may be omitted if the tool requires none. */
export type ToolCallRest<Target, Name> =
  undefined extends ToolArgs<Target, Name>
    ? [args?: JsonObject, options?: ToolCallOptions]
    : Record<never, never> extends ToolArgs<Target, Name>
      ? [args?: ToolArgs<Target, Name>, options?: ToolCallOptions]
      : [args: ToolArgs<Target, Name>, options?: ToolCallOptions];

/** The result as defined. Only `output` or `createValidator` verify it at run time. */
export type ToolResult<Target, Name> = Name extends keyof ToolTypesOf<Target>
  ? unknown extends Known<ToolTypesOf<Target>[Name], "output", unknown>
    ? CallToolResult
    : ParsedToolResult<Known<ToolTypesOf<Target>[Name], "output", unknown>>
  : CallToolResult;

/** The type of one schema of a tool, or `Otherwise` if the schema has no types. */
type Known<Tool, Side extends keyof ToolType, Otherwise> = Tool extends ToolType
  ? unknown extends Tool[Side]
    ? Otherwise
    : Tool[Side]
  : Otherwise;
