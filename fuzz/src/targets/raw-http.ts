// Raw bytes to real sockets: a server, a gateway with keys, and the recording proxy, each in a separate process. After every
// round, a request of another caller must succeed.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { goodKey, hostileKey } from "../fixture/keys.ts";
import { cut, mutateBytes } from "../input/mutate-bytes.ts";
import type { Random } from "../input/random.ts";
import { createRequestSource, type HttpInput, type RequestSource } from "../input/request-source.ts";
import type { Health } from "../run/health.ts";
import type { Attack, Tally, Target } from "../run/target.ts";
import type { SubjectKind, SubjectMessage } from "../subject.ts";
import { wrongAnswer } from "./check-answer.ts";

const socketsAtOnce = 24;
const socketsPerRound = 120;
/** Time after which the fuzzer closes a waiting socket, because many inputs are incomplete requests. */
const patienceMs = 40;
const aliveMs = 30_000;

/** The path beside the script of this process, for any chunk of the bundle. */
const subjectScript = join(dirname(process.argv[1] ?? ""), "subject.js");

interface RawKind {
  readonly name: string;
  readonly kind: SubjectKind;
  readonly keys?: readonly string[];
  readonly prefix?: string;
}

const kinds: readonly RawKind[] = [
  { name: "raw-server", kind: "server" },
  {
    name: "raw-gateway",
    kind: "gateway",
    keys: [hostileKey, hostileKey, hostileKey, "wrong-key-0123456789"],
    prefix: "fuzz__",
  },
  { name: "raw-recorder", kind: "recorder" },
];

export const rawTargets: readonly Target[] = kinds.map((kind) => ({
  name: kind.name,
  weight: 2,
  // The memory for 24 concurrent sockets varies.
  allowedGrowthBytes: 12 * 1024 * 1024,
  start: () => startAttack(kind),
}));

async function startAttack({ kind, keys, prefix }: RawKind): Promise<Attack> {
  const subject = await startSubject(kind);
  const host = `127.0.0.1:${subject.port}`;
  return {
    async round(random, tally) {
      const source = createRequestSource(random, {
        path: "/mcp",
        host,
        ...(keys && { keys }),
        ...(prefix && { prefix }),
      });
      let left = socketsPerRound;
      const worker = async (): Promise<void> => {
        while (left-- > 0 && !subject.isGone) await useSocket(subject, source, random, tally);
      };
      await Promise.all(Array.from({ length: socketsAtOnce }, worker));
      await requireAlive(subject, host, prefix ?? "", tally);
    },
    health: subject.health,
    async close() {
      await subject.stop();
    },
  };
}

/** One connection: some pipelined requests, mutated, split into chunks, and ended in one of several ways. */
async function useSocket(subject: Subject, source: RequestSource, random: Random, tally: Tally): Promise<void> {
  const requests = Array.from({ length: 1 + random.below(4) }, () => toBytes(source.next(), random));
  const whole = Buffer.concat(requests);
  const bytes = random.chance(0.5) ? whole : mutateBytes(whole, random, 1 + random.below(4));
  const end = random.pick(["wait", "wait", "wait", "end", "reset", "reset early"]);
  const input = { bytes, end };
  for (let count = 0; count < requests.length; count++) tally.input(input);
  const text = await exchange(subject.port, bytes, end, random);
  for (const { status, body } of answersIn(text)) {
    // A server at its limits may answer 503, but 24 sockets do not reach them.
    const wrong = wrongAnswer({ status, text: body });
    if (wrong) tally.fail({ kind: "wrong", detail: wrong, input });
  }
  source.learn(text, /^mcp-session-id: (\S+)/im.exec(text)?.[1]);
}

function exchange(port: number, bytes: Buffer, end: string, random: Random): Promise<string> {
  const pieces = random.chance(0.3) ? cut(bytes, random, 5) : [bytes];
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    const timer = setTimeout(() => socket.destroy(), patienceMs);
    socket.setNoDelay(true);
    socket.on("connect", () => {
      for (const piece of pieces) socket.write(piece);
      if (end === "reset early") setImmediate(() => socket.resetAndDestroy());
      if (end === "reset") setTimeout(() => socket.resetAndDestroy(), 5);
      if (end === "end") socket.end();
    });
    socket.on("data", (chunk: Buffer) => {
      if (text.length < 200_000) text += chunk.toString("latin1");
      // Silence follows the last response.
      if (end === "wait") timer.refresh();
      if (text.length >= 200_000) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

function toBytes({ method, path, headers, body }: HttpInput, random: Random): Buffer {
  const payload = Buffer.from(body ?? "");
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (body === undefined || random.chance(0.02))
    return Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  const isChunked = random.chance(0.15);
  lines.push(
    isChunked
      ? "Transfer-Encoding: chunked"
      : `Content-Length: ${payload.length + (random.chance(0.03) ? random.below(9) - 4 : 0)}`,
  );
  const head = Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  if (!isChunked) return Buffer.concat([head, payload]);
  const chunks = cut(payload, random, 6).filter(({ length }) => length > 0);
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([head, ...framed, Buffer.from("0\r\n\r\n")]);
}

/** Status and remaining text of each response on a connection. */
function* answersIn(text: string): Generator<{ status: number; body: string }> {
  const starts = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)];
  for (const [index, { 0: line, 1: status, index: at }] of starts.entries()) {
    yield { status: Number(status), body: text.slice(at + line.length, starts[index + 1]?.index ?? at + 100_000) };
  }
}

/** Checks that the server answers another caller, with another key if the subject has keys. */
async function requireAlive(subject: Subject, host: string, prefix: string, tally: Tally): Promise<void> {
  const params = {
    name: `${prefix}add`,
    arguments: { a: 1, b: 2 },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const request = fetch(`http://${host}/mcp`, {
    method: "POST",
    signal: AbortSignal.timeout(aliveMs),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": `${prefix}add`,
      authorization: `Bearer ${goodKey}`,
      connection: "close",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const answer = await request.then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: unknown) => ({ status: 0, text: String(error) }),
  );
  if (answer.status === 200 && answer.text.includes('"sum":3')) return;
  if (subject.isGone) {
    tally.fail({ kind: "crash", detail: subject.lastWords() });
    throw new Error(`the process under attack has ended: ${subject.lastWords()}`);
  }
  const kind = answer.status === 0 ? "hang" : "wrong";
  tally.fail({ kind, detail: `another caller is not served: ${answer.status} ${answer.text.slice(0, 300)}` });
}

interface Subject {
  readonly port: number;
  readonly isGone: boolean;
  lastWords(): string;
  health(): Promise<Health>;
  stop(): Promise<void>;
}

async function startSubject(kind: SubjectKind): Promise<Subject> {
  const child: ChildProcess = fork(subjectScript, [kind], {
    execArgv: ["--expose-gc", "--max-old-space-size=256"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  const exited = once(child, "exit");
  const next = async (): Promise<SubjectMessage> => {
    const ended = exited.then(() => Promise.reject(new Error(`the process under attack has ended: ${errors.trim()}`)));
    const [message] = (await Promise.race([once(child, "message"), ended])) as [SubjectMessage];
    return message;
  };
  const { port } = await next();
  return {
    port: port ?? 0,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    lastWords: () => errors.trim(),
    async health() {
      child.send("health");
      const { health, error } = await next();
      if (error !== undefined) throw new Error(error);
      if (!health) throw new Error("no health");
      return health;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
