// The decision procedure on stdio (step 5): throw-away processes, because the first message can lock a server's era.
import type { SpawnTarget } from "@lethe/client/node";
import { type Era, type JsonObject, method } from "@lethe/protocol";
import {
  initialized as initializedNotification,
  toInitialize,
  toLegacyRequest,
  toModernRequest,
} from "../exchange/messages.ts";
import type { Recorder } from "../exchange/recorder.ts";
import { type StdioLab, startStdioLab } from "../exchange/stdio-lab.ts";
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
  /** For the first answer of a process: it may have to be downloaded. */
  startTimeoutMs: number;
  timeoutMs: number;
  isShallow: boolean;
  /** The eras to ask for. */
  era: Era | "auto";
  /** Also ask a fresh process to go on where another one stopped. */
  isRestarted: boolean;
  signal?: AbortSignal | undefined;
}

export type StdioFindings = Omit<Findings, "leftovers">;

/** Rejects with TransportError when the program does not start. Leaves no process. */
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

async function probeModern(child: StdioLab, { startTimeoutMs, timeoutMs, isShallow }: StdioOptions): Promise<Asked> {
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
  const initialize = (child: StdioLab, limitMs: number) => child.send("initialize", toInitialize(), limitMs);
  // The same process unless it showed itself as modern, which may lock its era: that saves a start (D.2/6).
  const isReusable = modern.isSpoken !== true && stage.current?.isAlive === true;
  // A process that ignored server/discover has had its time to start.
  const limitMs = isReusable && modern.isSpoken === undefined ? timeoutMs : startTimeoutMs;
  let child = isReusable && stage.current ? stage.current : await stage.fresh();
  let first = await initialize(child, limitMs);
  if (!isOk(first) && isReusable && !refusesLegacy(first)) {
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
  const reasons = [{ text: "a session is the process that was initialized", exchanges: [first.number] }];
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

/** An old server may end when it is asked something before `initialize`: with the proof that it is one, that is a no. */
function toModern(modern: ModernFinding, legacy: LegacyFinding): ModernFinding {
  if (modern.problem?.reason !== "exited" || modern.isSpoken !== undefined || !legacy.isSpoken) return modern;
  const exchanges = modern.problem.exchange === undefined ? [] : [modern.problem.exchange];
  return {
    isSpoken: false,
    revisions: [],
    reasons: [{ text: "the process ended when asked server/discover", exchanges }],
  };
}

interface Stage {
  readonly current: StdioLab | undefined;
  readonly junkLines: number;
  /** Stops the process that is there before it starts another: two may not bear each other. */
  fresh(): Promise<StdioLab>;
  clear(): Promise<void>;
}

function createStage(target: SpawnTarget, { recorder, signal }: StdioOptions): Stage {
  let current: StdioLab | undefined;
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
      current = await startStdioLab(target, { recorder, signal });
      return current;
    },
    clear,
  };
}
