// Every export of @lethe/server, used as its documentation says, and once in a wrong way.
import {
  type ArgsOf,
  audio,
  type Callback,
  type Completer,
  type Context,
  createServer,
  type ElicitAnswer,
  embedded,
  exposeErrors,
  type Feature,
  type FullToolResult,
  InputDeclined,
  type InputOf,
  type InputRequired,
  image,
  incompatibleVersionOf,
  inputRequired,
  isElicitResult,
  isInputDeclined,
  isMcpError,
  isToolError,
  link,
  McpError,
  type Middleware,
  type OpenSession,
  type OutputOf,
  type PromptOptions,
  type PromptReturn,
  type RawHandler,
  type ResourceOptions,
  type ResourceReturn,
  type ResourceTemplateOptions,
  type Schema,
  type Server,
  type ServerOptions,
  session,
  type TaskPolicy,
  ToolError,
  type ToolOptions,
  type ToolReturn,
  text,
  type UriVariables,
  type Visibility,
} from "@lethe/server";
import { z } from "zod";

const id = z.object({ id: z.codec(z.string(), z.number(), { decode: Number, encode: String }) });
const jsonSchema: Schema = { type: "object" };

const visible: Visibility = (feature: Feature, caller) => feature.kind !== "tool" || caller !== undefined;
const onError: NonNullable<ServerOptions["onError"]> = (error, errorId) => console.error(errorId, error);
const options: ServerOptions = { instructions: "Be brief.", visible, onError, pageSize: 50, seal: { ttlMs: 60_000 } };
export const server: Server = createServer({ name: "api", version: "1.0.0" }, options);
// @ts-expect-error a version is missing
createServer({ name: "api" });
// @ts-expect-error instructions
createServer({ name: "api", version: "1" }, { instruction: "Be brief." });
// @ts-expect-error pageSize is a number
createServer({ name: "api", version: "1" }, { pageSize: "50" });

// Definitions.
const shared = { title: "Title", description: "Description." } satisfies Partial<ToolOptions<undefined, undefined>>;
const policy: TaskPolicy = { mode: "auto", afterMs: 1_000 };
const mode: NonNullable<ToolOptions<undefined, undefined>["task"]> = "never";
// @ts-expect-error no such mode
export const noMode: NonNullable<ToolOptions<undefined, undefined>["task"]> = "later";
const tool: ToolOptions<typeof id, undefined> = {
  ...shared,
  inputSchema: id,
  task: policy,
  handler: ({ id }) => id + 1,
};
const args: ArgsOf<typeof id> = { id: 1 };
const before: InputOf<typeof id> = { id: "1" };
const after: OutputOf<typeof id> = args;
// @ts-expect-error an argument before it is parsed
export const wrongArgs: ArgsOf<typeof id> = before;
const result: FullToolResult<{ id: string }> = { content: [text("1")], structuredContent: before };
const returned: ToolReturn<typeof id> = result;
// @ts-expect-error content is missing
export const wrongResult: FullToolResult = { isError: true };
const completer: Completer = (value, { caller }): string[] => [value, caller?.id ?? ""];
const prompt: PromptOptions<typeof id> = {
  argsSchema: id,
  complete: { id: completer },
  handler: ({ id }) => String(id),
};
const promptArgs: Parameters<PromptOptions<typeof id>["handler"]>[0] = after;
const promptReturn: PromptReturn = { messages: [{ role: "user", content: text("hi") }] };
// @ts-expect-error no role
export const wrongPromptReturn: PromptReturn = { messages: [{ content: text("hi") }] };
const resource: ResourceOptions = { mimeType: "text/plain", handler: (): ResourceReturn => "text" };
const template: ResourceTemplateOptions<"a://{id}"> = { handler: ({ id }) => id };
const variables: UriVariables<"a://{id}{?rev}"> = { id: "1" };
// @ts-expect-error id is missing
export const wrongVariables: UriVariables<"a://{id}"> = {};
server.tool("a", tool).prompt("a", prompt).resource("a://a", resource).resourceTemplate("a://{id}", template);
server.tool("b", { inputSchema: jsonSchema, task: mode, handler: () => returned });
server.removeTool("a") satisfies boolean;
server.resourceUpdated("a://a");
// @ts-expect-error a URI is expected
server.resourceUpdated();

// Contexts.
export async function inspect(ctx: Context): Promise<ToolReturn<undefined>> {
  const view: Context["client"] = ctx.client;
  const asOnce: Parameters<Context["tryElicit"]>[2] = { key: "confirm" };
  const answer: ElicitAnswer<typeof id> = await ctx.tryElicit("Id?", id, asOnce);
  if (answer.action === "decline") throw new InputDeclined("decline");
  ctx.progress(1, 2, "half");
  // @ts-expect-error progress is a number
  ctx.progress("half");
  ctx.log("info", { sky: "clear" });
  // @ts-expect-error no such level
  ctx.log("fine", "text");
  // @ts-expect-error the context is read-only
  ctx.signal = AbortSignal.abort();
  return [
    text(view.info?.name ?? ""),
    image("aGk=", "image/png"),
    audio("aGk=", "audio/wav"),
    link("a://a", { title: "A" }),
  ];
}
const pending: InputRequired = inputRequired({ state: { step: 1 } });
// @ts-expect-error state is an object
inputRequired({ state: 1 });
export const block = embedded("a://a", "hi");
// @ts-expect-error bytes need their type
image("aGk=");
// @ts-expect-error the name is an option
link("a://a", "A");

// Errors and middleware.
const middleware: Middleware = (next) => (request, exchange) => next(request, exchange);
const raw: RawHandler = async ({ params }) => ({ resultType: "complete", echoed: params });
server.use(middleware).method("acme/echo", raw);
// @ts-expect-error a middleware wraps a dispatch
server.use(() => "");
export function describe(error: unknown): string {
  if (isToolError(error) || isInputDeclined(error)) return error.message;
  if (isMcpError(error)) return String(error.code);
  return isElicitResult(error) ? error.action : "";
}
export const errors = [
  new ToolError("no such id"),
  new McpError(-32602, "invalid"),
  pending,
  promptArgs,
  promptReturn,
  variables,
];
// @ts-expect-error the code comes first
new McpError("invalid");

// Session state.
const cart = session("cart", { schema: z.object({ items: z.array(z.string()) }), initial: { items: [] } });
server.tool("add_item", {
  inputSchema: z.object({ item: z.string() }),
  sessions: [cart],
  async handler({ item }, ctx) {
    const opened: OpenSession<{ items: string[] }> = await ctx.session(cart);
    const { items } = await opened.update((current) => ({ items: [...current.items, item] }));
    // @ts-expect-error items is a list
    await opened.set({ items: item });
    // @ts-expect-error the state is read-only
    opened.value = { items: [] };
    return items.join(", ");
  },
});
// @ts-expect-error an initial state is missing
session("cart", { schema: z.object({ items: z.array(z.string()) }) });
// @ts-expect-error the initial state has another type
session("cart", { schema: z.object({ items: z.array(z.string()) }), initial: { items: 0 } });
// @ts-expect-error a session has a handle or a caller
session("cart", { schema: z.object({}), initial: {}, by: "user" });

// Errors with their messages.
server.tool("read", { handler: exposeErrors(async () => "text") });
// @ts-expect-error a function
exposeErrors("text");

// Durable handlers.
server.tool("order", {
  task: "auto",
  version: "2",
  compatibleVersions: ["1"],
  async handler(_, ctx) {
    const receipt: string = await ctx.once(
      "pay",
      ({ idempotencyKey, fence }) => `${idempotencyKey} ${fence.toFixed()}`,
    );
    await ctx.sleep("2 days");
    await ctx.sleep(500);
    const approval: Callback<{ approved: boolean }> = await ctx.callback({
      schema: z.object({ approved: z.boolean() }),
      timeout: "7 days",
    });
    const { approved } = await approval.received();
    const body: unknown = await (await ctx.callback()).received();
    if (approved) console.log(approval.url, body);
    // @ts-expect-error no such unit
    await ctx.callback({ timeout: "1 moon" });
    // @ts-expect-error no such unit
    await ctx.sleep("2 moons");
    // @ts-expect-error a duration
    await ctx.sleep();
    return receipt;
  },
});
// @ts-expect-error a list of versions
server.tool("order", { version: "2", compatibleVersions: "1", handler: () => "" });
export const started = (error: unknown): string | undefined => incompatibleVersionOf(error)?.startedVersion;
