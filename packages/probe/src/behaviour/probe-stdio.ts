// The decision procedure over stdio (step 5). Uses disposable processes, because the first message can fix a server's era.
import type { SpawnTarget } from "@lethe/client/node";
import { type Era, type JsonObject, method } from "@lethe/protocol";
import {
  initialized as initializedNotification,
  toInitialize,
  toLegacyRequest,
  toModernRequest,
} from "../exchange/messages.ts";
import type { Recorder } from "../exchange/recorder.ts";
import { type StdioTransport, startStdioTransport } from "../exchange/stdio-transport.ts";
import { type Findings, type LegacyFinding, legacyNotSpoken, legacyUnknown } from "./findings.ts";
import { readInitialized, toHandshakeProblem, toRemarks } from "./handshake.ts";
import {
  decideModern,
  decideModernService,
  listMethodOf,
  type ModernFinding,
  modernUnasked,
  refusesLegacy,
} from "./modern-era.ts";
import { modernListOf } from "./probe-http.ts";
import { inShort, isOk, problemOf } from "./problem.ts";
import { tryRestart } from "./restart.ts";

export interface StdioOptions {
  recorder: Recorder;
  /** Time limit of the first answer of a process, which may have to be downloaded. In ms. */
  startTimeoutMs: number;
  timeoutMs: number;
  isShallow: boolean;
  /** The eras to probe. */
  era: Era | "auto";
  /** Also tests whether a new process continues the session of another one. */
  isRestarted: boolean;
  signal?: AbortSignal | undefined;
}

export type StdioFindings = Omit<Findings, "leftovers">;

/** Rejects with TransportError if the program does not start. Ends all processes. */
export async function probeStdio(target: SpawnTarget, options: StdioOptions): Promise<StdioFindings> {
  const stage = createStage(target, options);
  try {
    const { era } = options;
    const asked = era === "legacy" ? { modern: modernUnasked } : await probeModern(await stage.fresh(), options);
    const told = era === "modern" ? legacyUntold : await probeLegacy(stage, asked.modern, options);
    const modern = toModern(asked.modern, told.legacy);
    const { isRestarted } = options;
    const listing = asked.listing ?? told.listing;
    const { legacy } = told;
    const instances = isRestarted ? await tryRestart(stage.fresh, { modern, legacy, ...options }) : [];
    const { junkLines } = stage;
    const lines =
      junkLines === 1 ? "a line to stdout that is no message" : `${junkLines} lines to stdout that are no messages`;
    const junk = junkLines === 0 ? [] : [`it wrote ${lines}`];
    return { transport: "stdio", modern, legacy, listing, instances, remarks: [...told.remarks, ...junk] };
  } finally {
    await stage.clear();
  }
}

interface Asked {
  modern: ModernFinding;
  listing?: JsonObject | undefined;
}

async function probeModern(
  child: StdioTransport,
  { startTimeoutMs, timeoutMs, isShallow }: StdioOptions,
): Promise<Asked> {
  const discover = await child.send(method.discover, toModernRequest(method.discover), startTimeoutMs);
  const modern = decideModern(discover);
  if (!modern.discovered || modern.problem || isShallow) return { modern };
  const name = modernListOf(modern);
  const plain = await child.send(`modern ${name}`, toModernRequest(name), timeoutMs);
  const listing = plain.answer.kind === "result" && name !== method.discover ? plain.answer.result : undefined;
  return { modern: decideModernService(modern, { plain, foreign: undefined }), listing };
}

interface Told {
  legacy: LegacyFinding;
  listing?: JsonObject | undefined;
  remarks: readonly string[];
}

const legacyUntold: Told = { legacy: { isSpoken: undefined, confidence: "low", reasons: [] }, remarks: [] };

async function probeLegacy(stage: Stage, modern: ModernFinding, options: StdioOptions): Promise<Told> {
  const { startTimeoutMs, timeoutMs, isShallow } = options;
  const initialize = (child: StdioTransport, limitMs: number) => child.send("initialize", toInitialize(), limitMs);
  // Saves a start by using the same process.
  const isReusable = stage.current?.isAlive === true;
  // A process that answered or ignored server/discover has already used its start time.
  const limitMs = isReusable && modern.isSpoken !== false ? timeoutMs : startTimeoutMs;
  let child = isReusable && stage.current ? stage.current : await stage.fresh();
  let first = await initialize(child, limitMs);
  // A refusal is conclusive only if no modern answer has fixed the era of the process (D.2/6).
  if (!isOk(first) && isReusable && (modern.isSpoken === true || !refusesLegacy(first))) {
    child = await stage.fresh();
    first = await initialize(child, startTimeoutMs);
  }
  const initialized = readInitialized(first);
  if (!initialized) {
    const text = `initialize was refused: ${inShort(first)}`;
    const isAnswer = refusesLegacy(first) || (modern.isSpoken === true && !problemOf(first));
    const legacy = isAnswer
      ? legacyNotSpoken({ text, exchanges: [first.number] })
      : legacyUnknown(toHandshakeProblem(first));
    return { legacy, remarks: [] };
  }
  const reasons = [{ text: "a session is the initialized process", exchanges: [first.number] }];
  const legacy = { isSpoken: true, initialized, contract: "process", confidence: "high", reasons } as const;
  const remarks = toRemarks(initialized);
  if (isShallow) return { legacy, remarks };
  await child.send("notifications/initialized", initializedNotification, timeoutMs);
  const name = listMethodOf(initialized.capabilities) ?? "ping";
  const list = await child.send(name, toLegacyRequest(name), timeoutMs);
  const listing = list.answer.kind === "result" && name !== "ping" ? list.answer.result : undefined;
  const failed = isOk(list) ? [] : [`${name} was not answered: ${inShort(list)}`];
  return { legacy, listing, remarks: [...remarks, ...failed] };
}

/** A legacy server may exit at a request before `initialize`. If it proves to be legacy, the exit means "not modern". */
function toModern(modern: ModernFinding, legacy: LegacyFinding): ModernFinding {
  if (modern.problem?.reason !== "exited" || modern.isSpoken !== undefined || !legacy.isSpoken) return modern;
  const exchanges = modern.problem.exchange === undefined ? [] : [modern.problem.exchange];
  return {
    isSpoken: false,
    revisions: [],
    reasons: [{ text: "the process exited after server/discover", exchanges }],
  };
}

interface Stage {
  readonly current: StdioTransport | undefined;
  readonly junkLines: number;
  /** Stops the current process before it starts another, because two may conflict. */
  fresh(): Promise<StdioTransport>;
  clear(): Promise<void>;
}

function createStage(target: SpawnTarget, { recorder, signal }: StdioOptions): Stage {
  let current: StdioTransport | undefined;
  let junkLines = 0;
  async function clear(): Promise<void> {
    const old = current;
    current = undefined;
    await old?.stop();
    junkLines += old?.junkLines ?? 0;
  }
  return {
    get current() {
      return current;
    },
    get junkLines() {
      return junkLines + (current?.junkLines ?? 0);
    },
    async fresh() {
      await clear();
      current = await startStdioTransport(target, { recorder, signal });
      return current;
    },
    clear,
  };
}
