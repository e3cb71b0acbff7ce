// A client for tests: scripted answers, recorded notifications, and the messages on the wire.
import type { Change, Client, ClientOptions, Subscription } from "@lethe/client";
import { createClient, declaredCapabilities } from "@lethe/client/edge";
import { type Caller, checkOptions, type ListenFilter, type Root, withMiddleware } from "@lethe/protocol";
import type { Answer, Question } from "../answers/answer.ts";
import { AnswerScript, type InputKind, inputKinds } from "../answers/script.ts";
import { EventRecorder, type Recorded } from "../events/recorded.ts";
import { openConnection } from "../transports/open-connection.ts";
import {
  isProgram,
  type TestProgram,
  type TestRevision,
  type TestServer,
  type TestTransport,
} from "../transports/test-target.ts";
import { type TranscriptOptions, toTranscript } from "../wire/transcript.ts";
import { WireLog, type WireMessage } from "../wire/wire-log.ts";
import { knownTestClientOptions } from "./known-options.ts";
import { type CallLog, type CallProgress, watchCalls } from "./watch-calls.ts";

/** Options of a test client. Those of any client apply as well, except for its handlers: the script replaces them. */
export interface TestClientOptions extends Omit<ClientOptions, "elicit" | "elicitUrl" | "sample" | "roots"> {
  /** The answers to the input requests of the server, in their order. Default none: every input request fails its call. */
  answers?: readonly Answer[];
  /** The folders of the client, given to every roots request. Default: roots requests use the script. */
  roots?: readonly Root[];
  /** The kinds of input requests that the client declares to support. Default all. */
  supports?: readonly InputKind[];
  /** The authenticated caller that the server sees. Not on stdio. Default: none. */
  caller?: Caller;
  /** The protocol revision. Default "2026-07-28". */
  revision?: TestRevision;
  /** The transport. Default "memory", and "stdio" for a program. */
  transport?: TestTransport;
  /** Time limit of a request without activity, in ms. Default 10,000. */
  timeoutMs?: number;
  /** How long `next` of recorded notifications waits, in ms. Default 5,000. */
  waitMs?: number;
}

/** What a test client records, and how a test waits for it. */
export interface TestRecords {
  /** The input requests of the server so far. */
  readonly questions: readonly Question[];
  /** The progress notifications of all calls. The client requests them with every call. */
  readonly progress: Recorded<CallProgress>;
  /** The log messages of all calls, from level "debug". The client requests them with every call. */
  readonly logs: Recorded<CallLog>;
  /** The changes of lists and resources that `watch` subscribed to. */
  readonly changes: Recorded<Change>;
  /**
   * Subscribes to changes, which `changes` then records. Default: all lists. Resolves when the server has
   * acknowledged. Rejects with an Error if the server offers none of them.
   */
  watch(filter?: ListenFilter): Promise<Subscription>;
  /** The JSON-RPC messages of both sides, in the order in which they crossed the wire. At most 10,000. */
  readonly messages: readonly WireMessage[];
  /** The messages so far as stable text, for a snapshot. See `toTranscript`. */
  transcript(options?: TranscriptOptions): string;
  /** Throws an Error that lists the answers of the script that no input request has used. */
  requireAnswersUsed(): void;
  /** Closes the client, and then fails like `requireAnswersUsed`. */
  close(): Promise<void>;
}

/** A client with records. It knows the tools of the server: their arguments and structured results. */
// biome-ignore lint/suspicious/noExplicitAny: as for Client, any server fits by default.
export type TestClient<Target = any> = Client<Target> & TestRecords;

const everyList: ListenFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/**
 * Connects a client to a server in this process or to a program. Rejects with the errors of `connect` of `@lethe/client`, and with an Error
 * for an unknown option and for a revision or transport that the server does not have. `close` fails if answers are left over.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { accept, testClient } from "@lethe/server/testing";
 *
 * const server = createServer({ name: "greeter", version: "1.0.0" }).tool("greet", {
 *   async handler(_, ctx) {
 *     const { name } = await ctx.elicit("Your name?", {
 *       type: "object",
 *       properties: { name: { type: "string" } },
 *       required: ["name"],
 *     });
 *     return `Hello ${name}!`;
 *   },
 * });
 *
 * const client = await testClient(server, { answers: [accept({ name: "Ann" })] });
 * const { content } = await client.callTool("greet");
 * console.log(content[0], client.questions[0]?.message); // { type: 'text', text: 'Hello Ann!' } Your name?
 * await client.close();
 */
export async function testClient<Target extends TestServer | TestProgram>(
  target: Target,
  options: TestClientOptions = {},
): Promise<TestClient<Target>> {
  checkOptions("testClient", options, knownTestClientOptions);
  const { answers = [], roots, supports = inputKinds, caller, waitMs = 5_000, timeoutMs = 10_000, ...others } = options;
  const { revision = "2026-07-28", transport = isProgram(target) ? "stdio" : "memory", ...given } = others;
  const script = new AnswerScript(answers);
  const clientOptions: ClientOptions = { ...defaults, ...given, ...script.toHandlers(supports, roots) };
  const log = new WireLog();
  const { connection, release } = await openConnection(target, {
    ...{ revision, transport, caller, timeoutMs, log },
    clientInfo: clientOptions.info || anonymous,
    capabilities: declaredCapabilities(clientOptions),
  });
  const progress = new EventRecorder<CallProgress>("progress notification", waitMs);
  const logs = new EventRecorder<CallLog>("log message", waitMs);
  const changes = new EventRecorder<Change>("change", waitMs);
  const dispatch = withMiddleware(connection.dispatch, [watchCalls({ progress, logs })]);
  const name = isProgram(target) ? "the program" : (target.info?.name ?? "the server");
  const client = createClient<Target>({ ...connection, dispatch }, name, clientOptions);
  const closeClient = client.close.bind(client);
  const records: TestRecords = {
    ...{ questions: script.questions, progress, logs, changes, messages: log.messages },
    async watch(filter = everyList) {
      const subscription = await client.subscribe(filter, (change) => changes.add(change));
      if (Object.values(subscription.honoured).some((part) => part === true || part?.length > 0)) return subscription;
      subscription.close();
      throw new Error(`watch: the server offers none of the changes of ${JSON.stringify(filter)}`);
    },
    transcript: (transcriptOptions) => toTranscript(log.messages, transcriptOptions),
    requireAnswersUsed: () => script.requireUsed(),
    async close() {
      await closeClient();
      await release();
      script.requireUsed();
    },
  };
  // `close` as an own property takes precedence over that of the class, also for `await using`.
  return Object.assign(client, records);
}

/** No cache: a test expects each request to reach the server. */
const defaults: ClientOptions = { info: { name: "test-client", version: "1.0.0" }, cache: false };
const anonymous = { name: "anonymous", version: "0" };
