// The functions of @lethe/client and its entry points: what they infer, and each used once in a wrong way.
import {
  type CallOptions,
  type Client,
  type ClientOptions,
  type Connection,
  checkContent,
  connect,
  createFetchSend,
  createResponseCache,
  createVerdictMemory,
  type Fetch,
  fillDefaults,
  type Handlers,
  type HttpSend,
  incompatibleVersionOf,
  isInputRequired,
  isMcpError,
  isTaskResult,
  isTransportError,
  proxy,
  type ResponseCache,
  type ToolName,
  TransportError,
  type TransportErrorReason,
  type VerdictMemory,
} from "@lethe/client";
import {
  AuthorizationError,
  type AuthorizationErrorCode,
  type AuthorizationFetch,
  type Authorizer,
  type AuthStore,
  authorizationCode,
  clientCredentials,
  createAuthorizer,
  createMemoryAuthStore,
  enterpriseManaged,
  enterpriseManagedAuthorization,
  type Grant,
  isAuthorizationError,
  oauthClientCredentials,
  workloadIdentity,
} from "@lethe/client/auth";
import {
  connectHttp,
  connectHttpSse,
  connectLegacy,
  connectMemory,
  connectStreamableHttp,
  createClient,
  createExchange,
  createRequestBuilder,
  declaredCapabilities,
  isProtocolHeader,
  isSessionLost,
  isUnsent,
  PendingCalls,
  readAnswers,
  withAuthorization,
} from "@lethe/client/edge";
import {
  type App,
  apps,
  type ClientExtension,
  type SkillFile,
  SkillVerificationError,
  skills,
} from "@lethe/client/extensions";
import {
  connectModern,
  connectStdio,
  createFileAuthStore,
  createGuardedFetch,
  createLoopbackRedirect,
  createNodeSend,
  createPublicFetch,
  createStdioWire,
  openBrowser,
  type ServerProcess,
  spawnServer,
} from "@lethe/client/node";
import type { ClientCapabilities } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { z } from "zod";

// A client of a server in the same program knows its tools.
const server = createServer({ name: "weather", version: "1.0.0" })
  .tool("forecast", {
    inputSchema: z.object({ city: z.string(), days: z.int().default(1) }),
    outputSchema: z.object({ sky: z.enum(["clear", "rain"]) }),
    handler: () => ({ sky: "clear" as const }),
  })
  .tool("ping", { handler: () => "pong" });
const client = await connect(server);
const weather = await client.callTool("forecast", { city: "Oslo" });
if (weather.isError) throw new Error("no forecast");
export const sky: "clear" | "rain" = weather.structuredContent.sky;
export const names: ToolName<typeof server>[] = ["forecast", "ping"];
await client.callTool("ping");
// @ts-expect-error no tool of this name
await client.callTool("forcast", { city: "Oslo" });
// @ts-expect-error city is a string
await client.callTool("forecast", { city: 7 });
// @ts-expect-error arguments are missing
await client.callTool("forecast");
// @ts-expect-error the name comes first
await client.callTool({ name: "forecast", arguments: { city: "Oslo" } });
// @ts-expect-error sky is no number
export const degrees: number = weather.structuredContent.sky;

// A client of another server knows the schema of the output that it expects.
const handlers: Handlers = {
  elicit: (params) => ({ action: "accept", content: fillDefaults(params.requestedSchema, {}) }),
  roots: [{ uri: "file:///project" }],
};
const options: ClientOptions = { info: { name: "host", version: "1.0.0" }, ...handlers };
const remote: Client = await connect("https://mcp.example.com/mcp", options);
const parsed = await remote.callTool("total", {}, { output: z.object({ euros: z.number() }) });
export const euros: number | undefined = parsed.isError ? undefined : parsed.structuredContent.euros;
const manual = await remote.callTool("book", {}, { manual: true });
export const isPending: boolean = isInputRequired(manual) || isTaskResult(manual);
const call: CallOptions = { timeoutMs: 5_000, onProgress: ({ progress }) => console.log(progress.toFixed()) };
await remote.callTool("book", {}, call);
// @ts-expect-error timeoutMs is a number
await remote.callTool("book", {}, { timeoutMs: "5s" });
// @ts-expect-error timeout
await remote.callTool("book", {}, { timeout: 5_000 });
// @ts-expect-error elicitation
await connect("https://mcp.example.com/mcp", { elicitation: handlers.elicit });
// @ts-expect-error an answer has an action
await connect("https://mcp.example.com/mcp", { elicit: () => ({ content: {} }) });
// @ts-expect-error no such era
await connect("https://mcp.example.com/mcp", { era: "2025" });
// @ts-expect-error a target is missing
await connect();
// @ts-expect-error args is a list
await connect({ command: "npx", args: "-y server" });

// Parts of a client.
const fetch: Fetch = globalThis.fetch;
const send: HttpSend = createFetchSend(fetch);
const cache: ResponseCache = createResponseCache({ maxBytes: 1_000_000 });
const verdicts: VerdictMemory = createVerdictMemory();
const mounted = proxy("https://mcp.example.com/mcp");
await connect("https://mcp.example.com/mcp", { send, cache, verdicts });
export const problem: string | undefined = checkContent({ type: "object", properties: {} }, { name: "Ada" });
export const reason = (error: unknown): TransportErrorReason | undefined =>
  isTransportError(error) ? error.reason : undefined;
export const code = (error: unknown): number | undefined => (isMcpError(error) ? error.code : undefined);
export const current = (error: unknown): string | undefined => incompatibleVersionOf(error)?.currentVersion;
export const lost = new TransportError("timeout", "no response", { retryAfterMs: 1_000 });
// @ts-expect-error no such reason
new TransportError("slow", "no response");
// @ts-expect-error maxBytes is a number
createResponseCache({ maxBytes: "1mb" });
// @ts-expect-error no such option
createVerdictMemory({ ttl: 1_000 });
// @ts-expect-error not a fetch
createFetchSend("fetch");
// @ts-expect-error a target is missing
proxy();

// Authorization.
const store: AuthStore = createMemoryAuthStore();
const given = { clientId: "ci", clientSecret: "secret" };
const identityProvider = { issuer: "https://id.example.com", client: given };
const grants: Grant[] = [
  clientCredentials({ client: given }),
  authorizationCode({ redirectUrl: "http://127.0.0.1/callback", redirect: async (url) => url }),
  workloadIdentity({ client: given, assertion: () => "jwt" }),
  enterpriseManaged({ client: given, identityProvider, idToken: () => "jwt" }),
];
const [grant] = grants as [Grant];
const authorizer: Authorizer = createAuthorizer("https://mcp.example.com/mcp", { grant, store });
await connect("https://mcp.example.com/mcp", { authorizer });
export const authorizationFailure = (error: unknown): AuthorizationErrorCode | undefined =>
  isAuthorizationError(error) ? error.code : undefined;
export const denied = new AuthorizationError("insecure_url", "https expected");
// @ts-expect-error no such code
new AuthorizationError("slow", "no response");
// @ts-expect-error a grant is missing
createAuthorizer("https://mcp.example.com/mcp", { store });
// @ts-expect-error a client is missing
clientCredentials({});
const company = enterpriseManagedAuthorization({ client: given, identityProvider, idToken: () => "jwt" });
void connect("https://a.example", { extensions: [company] });
oauthClientCredentials({ client: given }, { scopes: ["reports"] });
// @ts-expect-error the grant follows from the credentials
oauthClientCredentials({ client: given }, { grant });
// @ts-expect-error redirect is missing
authorizationCode({ redirectUrl: "http://127.0.0.1/callback" });
// @ts-expect-error assertion is a function
workloadIdentity({ client: given, assertion: "jwt" });
// @ts-expect-error idToken is missing
enterpriseManaged({ client: given, identityProvider });
// @ts-expect-error no such option
createMemoryAuthStore({ file: "tokens.json" });

// Node.
export const files: AuthStore = createFileAuthStore("tokens");
export const nodeSend = createNodeSend();
export const guarded: AuthorizationFetch = createGuardedFetch({ server: "https://mcp.example.com/mcp" });
export const open: AuthorizationFetch = createPublicFetch();
const child: ServerProcess = await spawnServer({ command: "node", args: ["server.js"] });
createStdioWire(child);
export const stdio: Connection = await connectStdio({ command: "node", args: ["server.js"] });
const loopback = createLoopbackRedirect();
authorizationCode({ redirectUrl: loopback.redirectUrl, redirect: loopback.redirect });
export const opened: boolean = await openBrowser(new URL("https://id.example.com"));
// @ts-expect-error a folder
createFileAuthStore();
// @ts-expect-error server is missing
createGuardedFetch({ trusted: [] });
// @ts-expect-error a command and its arguments are separate
await spawnServer("node server.js");
// @ts-expect-error a process
createStdioWire({ command: "node" });
// @ts-expect-error command is missing
await connectStdio({ args: ["server.js"] });
// @ts-expect-error a URL
await openBrowser("https://id.example.com");
// @ts-expect-error no such option
createLoopbackRedirect({ url: "http://127.0.0.1" });
// @ts-expect-error no such option
createNodeSend({ keepAlive: true });

// Edges.
const target = { url: new URL("https://mcp.example.com/mcp"), send: withAuthorization(send, authorizer) };
const connection: Connection = await connectHttp(target);
export const older: Connection[] = [await connectStreamableHttp(target), await connectHttpSse(target)];
export const declared: ClientCapabilities = declaredCapabilities({ roots: [] });
export const typed: Client<typeof server> = createClient<typeof server>(connection, "weather");
export const calls = new PendingCalls({ maxPendingPerCaller: 4 });
export const unsent = (error: TransportError): boolean => isUnsent(error) || isSessionLost(error);
export const isOurs: boolean = isProtocolHeader("mcp-method");
// @ts-expect-error a URL, not a string
await connectHttp({ url: "https://mcp.example.com/mcp", send });
// @ts-expect-error a dispatch
await connectMemory("weather", server);
// @ts-expect-error an envelope is missing
createRequestBuilder();
// @ts-expect-error a URL, not a string
await connectStreamableHttp({ url: "https://mcp.example.com/mcp", send });
// @ts-expect-error send is missing
await connectHttpSse({ url: new URL("https://mcp.example.com/sse") });
// @ts-expect-error options are missing
await connectLegacy(createStdioWire(child));
// @ts-expect-error a connection has messages
await connectModern(child);
// @ts-expect-error options are missing
createExchange();
// @ts-expect-error no such capability
declaredCapabilities({ elicitation: {} });
// @ts-expect-error responses are missing
readAnswers({});
// @ts-expect-error no such limit
new PendingCalls({ maxPerCaller: 4 });
server.mount("remote", mounted);

/** Skills. */
export async function readSkill(url: string): Promise<SkillFile | undefined> {
  const known = skills();
  const client = await connect(url, { extensions: [known] });
  const [skill] = await client.extension(known).list();
  // @ts-expect-error a skill is read by its entry, because that has the digests
  await client.extension(known).read("skill://refunds/SKILL.md");
  try {
    return skill && (await client.extension(known).read(skill, "references/rules.md"));
  } catch (error) {
    if (error instanceof SkillVerificationError && error.reason === "digest") return undefined;
    throw error;
  }
}

/** Extensions. */
export async function openApp(client: Client): Promise<App | undefined> {
  const ui = apps();
  const sums = {
    id: "com.example/sums",
    api: () => ({ add: (a: number, b: number): number => a + b }),
  } satisfies ClientExtension;
  const sum: number = client.extension(sums).add(1, 2);
  // @ts-expect-error the calls of the extension take numbers
  client.extension(sums).add("1", sum);
  const steps: ClientExtension<unknown, { "com.example/steps.done": { step: number } }> = {
    id: "com.example/steps",
    // @ts-expect-error the extension has no such notification
    notifications: { "com.example/steps.done": ({ step }) => step.toFixed(), "com.example/steps.begun": () => {} },
  };
  // @ts-expect-error an extension has an id
  const nameless: ClientExtension = { settings: {} };
  await connect("https://a.example", { extensions: [ui, steps, nameless] });
  const [tool] = await client.listTools();
  return tool && client.extension(ui).open(tool);
}
