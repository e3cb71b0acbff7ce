// Every export of @lethe/server/auth, /middleware and /node, used as its documentation says, and once in a wrong way.
import { createServer } from "@lethe/server";
import {
  type ApiKey,
  AuthenticationError,
  type Authenticator,
  type AuthenticatorOptions,
  type Caller,
  createAuthenticator,
  createKeyAuthenticator,
  isAuthenticationError,
  type JwtOptions,
  requireScopes,
  type ScopeHierarchy,
  type Sender,
  type TokenVerifier,
} from "@lethe/server/auth";
import {
  type AppCsp,
  apps,
  enterpriseManagedAuthorization,
  oauthClientCredentials,
  type ServerExtension,
  type SkillsOptions,
  skills,
} from "@lethe/server/extensions";
import {
  type AccessLine,
  type AccessLogOptions,
  accessLog,
  type ConcurrencyLimitOptions,
  concurrencyLimit,
  type Dispatch,
  type Exchange,
  type Middleware,
  type ModernRequest,
  type RateLimitOptions,
  rateLimit,
  type TelemetryOptions,
  type TimeoutOptions,
  taskMetrics,
  telemetry,
  timeout,
} from "@lethe/server/middleware";
import {
  type ConnectionLimits,
  createNodeHandler,
  type HttpOptions,
  type NodeHandler,
  openFileTaskStore,
  type Servable,
  type ServableLookup,
  type ServableTarget,
  type ServeOptions,
  type ServeStdioOptions,
  type Serving,
  type StdioOptions,
  serve,
  serveStdio,
} from "@lethe/server/node";
import {
  createParentStores,
  findWorkersProblem,
  type ParentStores,
  provideParentStores,
  type StartWorkersOptions,
  startWorkers,
  toWorkerCount,
  usableCores,
  type WorkerEvent,
  type WorkerProcess,
  type Workers,
  workerProcess,
} from "@lethe/server/workers";

// Extensions.
const csp: AppCsp = { connectDomains: ["https://api.example.com"] };
const custom: ServerExtension = {
  id: "com.example/custom",
  methods: { "com.example/custom.do": () => ({ resultType: "complete" }) },
};
const steps: ServerExtension<{ "com.example/steps.done": { step: number } }> = {
  id: "com.example/steps",
  notifications: ["com.example/steps.done"],
  callTool(call, next) {
    call.notify("com.example/steps.done", { step: 1 });
    // @ts-expect-error the step is a number
    call.notify("com.example/steps.done", { step: "1" });
    return next();
  },
};
createServer({ name: "a", version: "1" })
  .use(steps)
  .tool("walk", {
    handler(_args, ctx) {
      ctx.notify(steps, "com.example/steps.done", { step: 2 });
      // @ts-expect-error the extension has no such notification
      ctx.notify(steps, "com.example/steps.begun", { step: 2 });
      // @ts-expect-error the step is a number
      ctx.notify(steps, "com.example/steps.done", { step: "2" });
      return "done";
    },
  });
type OtherSteps = { "com.example/steps.done": object };
// @ts-expect-error the extension has no such notification
const otherSteps: ServerExtension<OtherSteps> = { id: "a.b/c", notifications: ["a.b/c.done"] };
createServer({ name: "a", version: "1" })
  .use(otherSteps)
  .use(apps())
  .use(custom)
  .use(oauthClientCredentials())
  .use(enterpriseManagedAuthorization())
  .app("cart", { html: "", csp, tool: { handler: () => "cart" } });
const skillOptions: SkillsOptions = { prefix: "acme", pageSize: 10, visible: (caller) => caller !== undefined };
createServer({ name: "a", version: "1" }).use(skills("skills", skillOptions));
createServer({ name: "a", version: "1" }).skills(new URL("file:///skills"), skillOptions);
// @ts-expect-error a prefix is a text
createServer({ name: "a", version: "1" }).skills("skills", { prefix: 1 });
// @ts-expect-error the extension takes no options
oauthClientCredentials({ scopes: [] });
// @ts-expect-error the extension takes no options
enterpriseManagedAuthorization({ issuer: "https://idp.example.com" });
// @ts-expect-error an id is missing
createServer({ name: "a", version: "1" }).use({ methods: {} });
// @ts-expect-error a tool is missing
createServer({ name: "a", version: "1" }).app("cart", { html: "" });

// Authentication.
const hierarchy: ScopeHierarchy = { "notes:write": ["notes:read"] };
const verify: TokenVerifier = async (token) => (token === "a" ? { id: "ada", scopes: ["notes:read"] } : undefined);
const jwt: JwtOptions = { issuer: "https://id.example.com", clockToleranceS: 5 };
const audit = (reason: unknown, sender?: Sender): void => console.warn(reason, sender?.remoteAddress);
const options: AuthenticatorOptions = {
  resource: "https://mcp.example.com/mcp",
  authorizationServers: ["https://id.example.com"],
  scopeHierarchy: hierarchy,
  jwt,
  onRefused: audit,
};
const auth: Authenticator = createAuthenticator(options);
createAuthenticator({ resource: "https://a.example", authorizationServers: [], verify });
// @ts-expect-error a resource is missing
createAuthenticator({ authorizationServers: [] });
// @ts-expect-error authorizationServers is a list
createAuthenticator({ resource: "https://a.example", authorizationServers: "https://id.example.com" });
// @ts-expect-error requiredScopes
createAuthenticator({ resource: "https://a.example", authorizationServers: [], requireScopes: ["a"] });
const key: ApiKey = { id: "ci", key: "0123456789abcdef" };
createKeyAuthenticator([key]);
// @ts-expect-error a list of keys
createKeyAuthenticator(key);
export function allow(caller: Caller | undefined): void {
  requireScopes(caller, ["notes:read"]);
  // @ts-expect-error scopes are a list
  requireScopes(caller, "notes:read");
}
export const status = (error: unknown): number => (isAuthenticationError(error) ? error.status : 500);
export const refusal = new AuthenticationError(401, "invalid token");
// @ts-expect-error no status of authentication
new AuthenticationError(404, "not found");

// Middleware.
const write = (line: AccessLine): void => console.log(line.method, line.ms);
const logOptions: AccessLogOptions = { write };
const limitOptions: ConcurrencyLimitOptions = { max: 10, maxWaitMs: 1_000 };
const rateOptions: RateLimitOptions = { perCaller: 60, windowMs: 60_000 };
const timeoutOptions: TimeoutOptions = {
  ms: (request: ModernRequest) => (request.method === "tools/call" ? 30_000 : undefined),
};
declare const api: TelemetryOptions["api"];
const stack: Middleware[] = [
  accessLog(logOptions),
  concurrencyLimit(limitOptions),
  rateLimit(rateOptions),
  timeout(5_000),
  timeout(timeoutOptions),
  telemetry({ api }),
  (next: Dispatch) => (request: ModernRequest, exchange: Exchange) => next(request, exchange),
];
taskMetrics({ api });
// @ts-expect-error write is missing
accessLog({});
// @ts-expect-error max is a number
concurrencyLimit({ max: "10" });
// @ts-expect-error perCaller
rateLimit({ perClient: 60 });
// @ts-expect-error ms is a number
timeout("5s");
// @ts-expect-error api is missing
telemetry({});

// Serving.
const limits: ConnectionLimits = { maxConnections: 100 };
const http: HttpOptions = { path: "/mcp", maxBodyBytes: 1_000_000, allowedHosts: ["mcp.example.com"] };
const serveOptions: ServeOptions = { ...limits, ...http, port: 0 };
const servable: Servable = createServer(
  { name: "api", version: "1.0.0" },
  { auth, http, tasks: { store: await openFileTaskStore("tasks") } },
);
const lookup: ServableLookup = () => servable;
const target: ServableTarget = lookup;
const serving: Serving = await serve(target, serveOptions);
await serving.close({ graceMs: 1_000 });
// @ts-expect-error port
await serve(servable, { prt: 0 });
// @ts-expect-error no server
await serve({ "/mcp": {} });
const handler: NodeHandler = createNodeHandler(servable, http);
// @ts-expect-error maxBodyBytes is a number
createNodeHandler(servable, { maxBodyBytes: "1mb" });
const stdio: StdioOptions = {};
const stdioOptions: ServeStdioOptions = { ...stdio, graceMs: 100 };
await serveStdio(servable, stdioOptions);
// @ts-expect-error graceMs
await serveStdio(servable, { grace: 100 });
// @ts-expect-error a path
await openFileTaskStore();
const cores: number = usableCores();
const worker: WorkerProcess | undefined = workerProcess();
worker?.started(3_000);
const onEvent = (event: WorkerEvent): string => event.kind;
const count: number = toWorkerCount("auto");
export const problem: string | undefined = findWorkersProblem(cores);
// @ts-expect-error text other than "auto"
toWorkerCount("4");
const startOptions: StartWorkersOptions = { count, stallMs: 5_000, onEvent };
const workers: Workers = await startWorkers(startOptions);
await workers.close({ graceMs: 1_000, delayMs: 0 });
const stores: ParentStores = createParentStores();
stores.ended(1);
// @ts-expect-error a list of what is given
stores.run(1, "tasks.read", "task");
provideParentStores(async (operation, ...given) => stores.run(1, operation, given));
// @ts-expect-error a promise
provideParentStores(() => 1);
// @ts-expect-error count is missing
await startWorkers({ onEvent });
export const used = [stack, handler];
