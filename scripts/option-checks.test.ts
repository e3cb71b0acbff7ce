// Every function and method of the public API rejects an option that does not exist, also in nested objects.
import { type Client, connect } from "@lethe/client";
import { createGateway } from "@lethe/gateway";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { type TestClient, testClient } from "@lethe/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLinkedWorkers } from "../packages/server/src/node/workers/testing/linked-workers.ts";
import { createWorkerProcess } from "../packages/server/src/node/workers/worker-process.ts";
import { entryPoints, findOptionsParameters, type OptionsParameter } from "./option-types.ts";

/** Types with optional members that are no options, by the reason. */
const notOptions = {
  "an object with methods that a program implements or gets": [
    ...["Servable", "ServerTarget", "Connection", "MessageWire", "CancelSignal", "Authorizer", "AuthStore"],
    ...[
      "Bus",
      "Directory",
      "ClientMessageRelay",
      "StreamRelay",
      "TaskStore",
      "MemoryTaskStore",
      "Authenticator",
      "Grant",
      ...["RedisLink", "RedisConnection", "LegacyHttpCall"],
    ],
    ...["SingleUse", "TaskRun", "RequestBuilder", "ResponseCache", "VerdictMemory", "Route", "TaskRunnerOptions"],
  ],
  "data that another function returns": [
    ...[
      "StoredTask",
      "SessionDefinition",
      "ProbeReport",
      "EraVerdict",
      "Comparison",
      "Recording",
      "TransportError",
      "LogEntry",
      "TaskHandle",
    ],
    ...["Difference", "Report", "MeasuredTransport"],
  ],
  "made for each request or error by the parts of a gateway or server, and checked by the compiler there": [
    ...["Envelope", "CallExchangeOptions", "TaskRunOptions", "McpErrorOptions", "AuthenticationErrorOptions"],
    ...["TransportErrorOptions", "AuthorizationErrorOptions", "AcquireOptions"],
  ],
  "a plan with its own parser": ["Survey", "Script"],
};

/** Parameters of types that other functions check, by the reason. */
const notChecked = new Map([
  ["findUnstartable#0", "its configuration comes from readConfig, or goes to createGateway"],
  ["inspectTelemetry#0", "settings that readConfig checks"],
  ["findPortConflict#0", "settings that readConfig checks"],
  ["isHttpTarget#0", "a type guard for a target that probe checks"],
  ["secretsOf#0", "reads a target that probe checks"],
  ["InputRequired#0", "inputRequired checks them"],
  ["AnswerShares#0", "the stores pass their own options on"],
  ["ringOf#0", "the stores pass their own options on"],
  ["createTaskCipher#0", "the stores pass their own options on"],
  ["SharedSessionStore.learn#1", "a state"],
  ["SessionRecords.write#1", "a state, which the store passes"],
  ["SessionRecords.announce#1", "a state, which the store passes"],
  ["toStoredTask#0", "a task"],
  ["toStoredTask#1", "a row of a store"],
  ["TaskCipher.sealState#0", "a task"],
  ["TaskCipher.sealEntry#2", "an entry of a journal"],
  ["ReplicaError#2", "an error"],
  ["createGuardedFetch#1", "replaced in tests only"],
  ["createNodeSend#1", "replaced in tests only"],
  ["connect#0", "a command is checked, and a server in this process has other members too"],
  ["compare#0", "probe and connectStdio check the target"],
  ["recordStdio#0", "connectStdio checks the command"],
  ["declaredCapabilities#0", "reads the options of a client, which createClient checks"],
  ["sampled#1", "members of a message"],
  ["Context.notify#0", "finds an extension that createServer has checked"],
  ["WorkerProcess.report#0", "a state that goes to the parent"],
  ["Client.extension#0", "finds an extension that connect or createClient has checked"],
]);

/** Objects of options that another function checks, whose error then begins at that object. */
const delegated = new Set(["adaptServer#1.legacy"]);

const parameters = findOptionsParameters(new Set(Object.values(notOptions).flat()));
const checked = parameters.filter((parameter) => !notChecked.has(idOf(parameter)));
const ofFunctions = checked.filter(({ method }) => method === undefined);
const ofMethods = checked.filter(({ method }) => method !== undefined);

const server = createServer({ name: "tested", version: "1.0.0" });
let serving: Serving;
let client: Client;
let tester: TestClient;
const gateway = createGateway({ upstreams: [] });
const worker = createWorkerProcess(await createLinkedWorkers().join());
beforeAll(async () => {
  serving = await serve(server, { port: 0 });
  client = await connect(server);
  tester = await testClient(server);
});
afterAll(async () => {
  await client.close();
  await tester.close();
  await serving.close();
  await gateway.close();
});

/** Objects whose methods take options, by their type. */
const objects: { readonly [type: string]: (() => object) | undefined } = {
  Client: () => client,
  TestRecords: () => tester,
  RemoteTask: () => client.task({ taskId: "t" }),
  Serving: () => serving,
  Server: () => server,
  Gateway: () => gateway,
  WorkerProcess: () => worker,
};

function idOf({ owner, method, index }: OptionsParameter): string {
  return `${method === undefined ? owner : `${owner}.${method}`}#${index}`;
}

/** The name of the unknown option in the error. */
function unknownName(parameter: OptionsParameter, path: readonly string[]): string {
  const shown = delegated.has(`${idOf(parameter)}.${path[0]}`) ? path.slice(1) : path;
  return [...shown, "unheardOf"].join(".");
}

/** Options with an unknown option in the object that `path` leads to. */
function withUnknown(path: readonly string[]): object {
  return path.reduceRight<object>((inner, step) => ({ [step]: inner }), { unheardOf: true });
}

/** Arguments before the options are no concern of the check, which comes first. */
function argumentsFor({ index }: OptionsParameter, path: readonly string[]): unknown[] {
  return [...Array.from({ length: index }, () => "x"), withUnknown(path)];
}

async function exportOf({ entryPoint, owner }: OptionsParameter): Promise<unknown> {
  const source = entryPoints.find(({ name }) => name === entryPoint)?.source.href ?? "";
  return (await import(source))[owner];
}

const cases = ofFunctions.flatMap((parameter) =>
  parameter.paths.map((path) => ({ ...parameter, path, place: [idOf(parameter), ...path].join(".") })),
);

test.each(cases)("$entryPoint: $place rejects an unknown option", async ({ path, ...parameter }) => {
  const exported = (await exportOf(parameter)) as Called;
  const args = argumentsFor(parameter, path);
  const call = async (): Promise<unknown> =>
    parameter.isClass ? Reflect.construct(exported, args) : await exported(...args);
  await expect(call()).rejects.toThrow(`unknown option "${unknownName(parameter, path)}"`);
});

const methodCases = ofMethods
  .filter(({ owner }) => owner !== "Context")
  .map((parameter) => ({ ...parameter, place: idOf(parameter) }));

test.each(methodCases)("$entryPoint: $place rejects an unknown option", async (parameter) => {
  const object = objects[parameter.owner]?.() as { [method: string]: Called } | undefined;
  const call = async (): Promise<unknown> => {
    const result = await object?.[parameter.method ?? ""]?.(...argumentsFor(parameter, []));
    return isIterable(result) ? await result[Symbol.asyncIterator]().next() : result;
  };
  await expect(call()).rejects.toThrow('unknown option "unheardOf"');
});

test.each(ofMethods.filter(({ owner }) => owner === "Context").map((parameter) => ({ ...parameter })))(
  "$entryPoint: the method $method of a handler's context rejects an unknown option",
  async (parameter) => {
    const asking = createServer({ name: "asking", version: "1.0.0" }, { onError: () => {} });
    let error: unknown;
    asking.tool("ask", {
      async handler(_args, ctx) {
        const method = ctx[parameter.method as "elicit"] as Called;
        const call = async () => method.apply(ctx, argumentsFor(parameter, []));
        error = await call().catch((reason: unknown) => reason);
      },
    });
    const asker = await connect(asking);
    await asker.callTool("ask");
    expect(error).toMatchObject({ message: expect.stringContaining('unknown option "unheardOf"') });
    await asker.close();
  },
);

test("the walk finds the options of functions, constructors, methods and nested objects", () => {
  const found = parameters.map(idOf);
  for (const id of ["createServer#1", "Server.tool#1", "PendingCalls#0", "connect#1", "Context.elicit#2"]) {
    expect(found).toContain(id);
  }
  const createServerOptions = parameters.find((parameter) => idOf(parameter) === "createServer#1");
  expect(createServerOptions?.paths.map((path) => path.join("."))).toContain("legacy.sse");
});

test("each exemption names a parameter that exists", () => {
  const found = new Set(parameters.map(idOf));
  expect([...notChecked.keys()].filter((id) => !found.has(id))).toEqual([]);
});

type Called = (...args: unknown[]) => unknown;

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
