// The functions of @lethe/server/stores, /edge and /testing, and of @lethe/openapi: what they return, and each used once in a wrong way.
import { fetchSpec, type OpenApiServer, openapi, parseSpec } from "@lethe/openapi";
import { readSpec } from "@lethe/openapi/node";
import { createServer, type McpError, type Server } from "@lethe/server";
import {
  compileSchema,
  createFetchHandler,
  createHub,
  createLegacyEdge,
  createSeal,
  createSingleUse,
  createTaskRunner,
  createTaskSettings,
  describeRequest,
  digestOf,
  durationBuckets,
  type FetchHandler,
  invalidRequestState,
  MemoryBudget,
  processMemory,
  type Seal,
  type ServingDefaults,
  type SpreadWork,
  servingDefaults,
  spreadOverTurns,
  type TaskSettings,
  toCanonicalJson,
  toDetailedTask,
} from "@lethe/server/edge";
import { openFileSessionStateStore } from "@lethe/server/node";
import {
  AnswerShares,
  createKeyRing,
  createLocalDirectory,
  createMemoryBus,
  createMemoryClientMessageRelay,
  createMemoryEventLog,
  createMemoryRateCounter,
  createMemorySessionStateStore,
  createMemorySessionStore,
  createMemorySingleUseStore,
  createMemoryTaskStore,
  createSharedRateCounter,
  describeBus,
  describeClientMessageRelay,
  describeDirectory,
  describeEventLog,
  describeRateCounter,
  describeRateStore,
  describeSessionStateStore,
  describeSessionStore,
  describeSingleUseStore,
  describeTaskStore,
  every,
  fromPreviousFormat,
  isReplicaError,
  type KeyRing,
  keysFromEnvironment,
  pause,
  ReplicaError,
  type ReplicaFailure,
  requireRoom,
  type SessionStateStore,
  storeUnavailable,
  systemClock,
  type TestRunner,
} from "@lethe/server/stores";
import {
  accept,
  type Combination,
  cancel,
  combinations,
  createTestClock,
  decline,
  folders,
  sampled,
  type TestClient,
  testClient,
  testEverywhere,
  toTranscript,
} from "@lethe/server/testing";
import { z } from "zod";

// Stores.
const ring: KeyRing = createKeyRing(keysFromEnvironment());
export const sessions: SessionStateStore[] = [
  createMemorySessionStateStore({ maxSessions: 100, clock: systemClock }),
  await openFileSessionStateStore("sessions.mdb"),
];
const server: Server = createServer(
  { name: "shop", version: "1.0.0" },
  {
    sessionStore: createMemorySessionStateStore(),
    tasks: { store: createMemoryTaskStore() },
  },
);
const runner: TestRunner = { it: (name, body) => void [name, body] };
describeBus(runner, () => createMemoryBus());
describeClientMessageRelay(runner, () => createMemoryClientMessageRelay());
describeDirectory(runner, () => createLocalDirectory());
describeEventLog(runner, () => createMemoryEventLog());
describeRateCounter(runner, () => createSharedRateCounter(createMemoryRateCounter(), { prefetch: false }));
describeRateStore(runner, () => createMemoryRateCounter());
describeSessionStateStore(runner, () => createMemorySessionStateStore());
describeSessionStore(runner, () => createMemorySessionStore());
describeSingleUseStore(runner, () => createMemorySingleUseStore());
describeTaskStore(runner, () => createMemoryTaskStore());
export const stop: () => void = every(systemClock, 1_000, () => {});
await pause(systemClock, 10);
export const failure = (error: unknown): ReplicaFailure | undefined =>
  isReplicaError(error) ? error.reason : undefined;
export const shares = new AnswerShares({ keepAnswersMs: 1_000, maxAnswerBytes: 1_024 });
export const unavailable: McpError = storeUnavailable(new Error("down"));
export const limits = [fromPreviousFormat, requireRoom, ReplicaError];
// @ts-expect-error text or a list of keys
createKeyRing(7);
// @ts-expect-error maxSessions is a number
createMemorySessionStateStore({ maxSessions: "100" });
// @ts-expect-error no such option
createMemoryTaskStore({ max: 100 });
// @ts-expect-error no such option
createMemoryEventLog({ max: 100 });
// @ts-expect-error no such option
createMemorySingleUseStore({ max: 100 });
// @ts-expect-error no such option
createMemoryRateCounter({ max: 100 });
// @ts-expect-error a counter is no store
createSharedRateCounter({ take: () => 0 });
// @ts-expect-error no such limit
new AnswerShares({ maxBytes: 1_024 });
// @ts-expect-error no such option
createMemoryClientMessageRelay({ max: 1 });
// @ts-expect-error no such option
createMemorySessionStore({ max: 1 });
// @ts-expect-error a clock comes first
every(1_000, () => {});
// @ts-expect-error a clock comes first
await pause(1_000);
// @ts-expect-error no such reason
new ReplicaError("slow", "no answer");
// @ts-expect-error a function that opens a bus
describeBus({ it() {} }, createMemoryBus());
// @ts-expect-error a path
await openFileSessionStateStore();

// Edges.
export const handler: FetchHandler = createFetchHandler(server, { path: "/mcp" });
export const seal: Seal = createSeal(ring, { server: "shop", ttlMs: 60_000, maxBytes: 1_024, now: Date.now });
export const boundaries: readonly number[] = durationBuckets;
export const spanName: string = describeRequest({
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
}).spanName;
export const digest: string = await digestOf({ a: 1 });
export const text: string = toCanonicalJson({ b: 1, a: 2 });
compileSchema(z.object({ item: z.string() }), { direction: "input" });
createSingleUse(createMemorySingleUseStore());
export const settings: TaskSettings = createTaskSettings({ store: createMemoryTaskStore() });
export const refusal: McpError = invalidRequestState();
export const defaults: ServingDefaults = { ...servingDefaults, maxStreams: 1 };
export const heldBytes: number = processMemory.heldBytes + new MemoryBudget(1_024).heldBytes;
// @ts-expect-error a server is missing
createFetchHandler();
// @ts-expect-error no such direction
compileSchema(z.string(), { direction: "in" });
// @ts-expect-error server is missing
createSeal(ring, { ttlMs: 60_000 });
// @ts-expect-error a store is missing
createSingleUse();
// @ts-expect-error options are missing
createHub();
export const spread: SpreadWork = spreadOverTurns(function* () {
  yield;
});
// @ts-expect-error the steps are functions
spreadOverTurns([1, 2]);
// @ts-expect-error options are missing
createTaskRunner();
// @ts-expect-error no such option
createTaskSettings({ max: 1 });
// @ts-expect-error a task
toDetailedTask("t");
// @ts-expect-error a server is missing
createLegacyEdge();

// Testing.
const calculator = createServer({ name: "calculator", version: "1.0.0" }).tool("add", {
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
});
const client: TestClient<typeof calculator> = await testClient(calculator, { answers: [accept({ sure: true })] });
const added = await client.callTool("add", { a: 1, b: 2 });
export const sum: number | undefined = added.isError ? undefined : added.structuredContent.sum;
export const all: Combination<typeof calculator>[] = combinations(calculator, { revisions: ["2026-07-28"] });
await testEverywhere(calculator, async (each) => void (await each.callTool("add", { a: 1, b: 2 })));
export const answers = [decline(), cancel()];
export const clock = createTestClock();
export const transcript: string = toTranscript(client.messages);
export const inputs = [sampled("Oslo"), folders("file:///project")];
// @ts-expect-error a is a number
await client.callTool("add", { a: "1", b: 2 });
// @ts-expect-error answers is a list
await testClient(calculator, { answers: accept({}) });
// @ts-expect-error no such revision
combinations(calculator, { revisions: ["2027-01-01"] });
// @ts-expect-error a test is missing
await testEverywhere(calculator);
// @ts-expect-error no such option
createTestClock({ start: 0 });

// OpenAPI.
const spec = parseSpec("openapi: 3.1.0");
const api: OpenApiServer = openapi(spec, { baseUrl: "https://api.example.com", include: { tags: ["read"] } });
server.mount("api", api);
// @ts-expect-error a document, not its text
openapi("openapi: 3.1.0");
// @ts-expect-error no such option
openapi(spec, { url: "https://api.example.com" });
// @ts-expect-error text
parseSpec(spec);
// @ts-expect-error a URL is missing
await fetchSpec();
// @ts-expect-error a path is missing
await readSpec();
