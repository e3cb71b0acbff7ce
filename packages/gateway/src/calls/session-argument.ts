// Session handles: a caller names the session of a call in an optional argument of each tool, which a model can fill in, or in
// `_meta`, for programs. Each result returns the handle in the same two ways.
import {
  invalidParams,
  isJsonObject,
  type JsonObject,
  type RequestParams,
  type Result,
  type Tool,
} from "@lethe/protocol";

export const sessionArgument = "gateway_session";
export const sessionMetaKey = "lethe/session";

const schema = {
  type: "string",
  description: "Handle of the session to go on in, as an earlier result gave it. Leave it out to begin a new session.",
} as const;
const outputSchema = {
  type: "string",
  description: "Handle of the session, to be passed with the next call.",
} as const;

/** Adds the argument to a tool. Undefined for a tool that has an argument of this name itself. */
export function withSessionArgument(tool: Tool): Tool | undefined {
  const inputSchema = withProperty(tool.inputSchema, schema);
  if (!inputSchema) return undefined;
  const output = tool.outputSchema?.type === "object" ? withProperty(tool.outputSchema, outputSchema) : undefined;
  return output ? { ...tool, inputSchema, outputSchema: output } : { ...tool, inputSchema };
}

function withProperty(object: JsonObject, property: JsonObject): JsonObject | undefined {
  const properties = isJsonObject(object.properties) ? object.properties : {};
  if (Object.hasOwn(properties, sessionArgument)) return undefined;
  return { ...object, properties: { ...properties, [sessionArgument]: property } };
}

/** The handle of a request: from the argument if its tool has one, else from `_meta`. */
export function handleOf({ arguments: args, _meta }: RequestParams, hasArgument: boolean): string | undefined {
  const named = hasArgument && isJsonObject(args) ? args[sessionArgument] : undefined;
  const handle = named ?? _meta[sessionMetaKey];
  if (handle === undefined || handle === null || typeof handle === "string") return handle ?? undefined;
  throw invalidParams(`invalid params: "${sessionArgument}" must be a string`);
}

/** The arguments without the session handle. */
export function withoutHandle(args: unknown): JsonObject | undefined {
  if (!isJsonObject(args) || !(sessionArgument in args)) return args as JsonObject | undefined;
  const { [sessionArgument]: _, ...own } = args;
  return own;
}

/** `isTool`: a model reads the result. */
export function withHandle(result: Result, handle: string, isTool: boolean): Result {
  const marked: Result = { ...result, _meta: withMember(result._meta, sessionMetaKey, handle) };
  if (!isTool) return marked;
  if (isJsonObject(result.structuredContent)) {
    marked.structuredContent = withMember(result.structuredContent, sessionArgument, handle);
  }
  const note = { type: "text", text: `${sessionArgument}: ${handle} (pass it on to go on in this session)` };
  marked.content = [...(Array.isArray(result.content) ? result.content : []), note];
  return marked;
}

/** The new member stands before the spread: see ARCHITECTURE.md. */
function withMember(object: JsonObject | undefined, name: string, value: string): JsonObject {
  const marked: JsonObject = { [name]: value, ...object };
  marked[name] = value;
  return marked;
}
