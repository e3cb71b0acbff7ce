// The client against hostile HTTP responses: status codes, challenges, JSON and event streams, truncated anywhere. Every call must
// end with a result, an McpError or a TransportError.
import {
  type Client,
  connect as connectAnywhere,
  type HttpAnswer,
  type HttpRequest,
  TransportError,
} from "@lethe/client";
import { connect } from "@lethe/client/node";
import { toSseEvent } from "@lethe/protocol";
import { answersTo } from "../input/answer-source.ts";
import { hostileTexts } from "../input/dictionary.ts";
import { mutateText } from "../input/mutate-json.ts";
import { createRandom, type Random } from "../input/random.ts";
import { createHealthMonitor } from "../run/health.ts";
import type { Tally, Target } from "../run/target.ts";
import { useClient } from "./use-client.ts";

const clientsPerRound = 100;

export const clientHttpTarget: Target = {
  name: "client-http",
  weight: 3,
  async start() {
    const monitor = createHealthMonitor();
    return {
      async round(random, tally) {
        const seeds = Array.from({ length: clientsPerRound }, () => String(random.below(2 ** 31)));
        await Promise.all(seeds.map((seed) => runClient(createRandom(seed), tally)));
      },
      health: monitor.read,
      close: async () => monitor.stop(),
    };
  },
};

async function runClient(random: Random, tally: Tally): Promise<void> {
  const transcript: unknown[] = [];
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    if (request.signal?.aborted) throw request.signal.reason;
    const { answer, shown } = createAnswer(request, random);
    transcript.push(shown);
    tally.input(shown);
    return answer;
  };
  await useClient({ open: () => openClient(random, send), random, tally, transcript });
}

function openClient(random: Random, send: (request: HttpRequest) => Promise<HttpAnswer>): Promise<Client> {
  const open = random.chance(0.5) ? connect : connectAnywhere;
  return open("http://127.0.0.1:9/mcp", {
    send,
    connectTimeoutMs: 300,
    onWarning: () => {},
    elicit: () => ({ action: "accept", content: {} }),
    roots: [],
    tasks: { minPollMs: 1, maxPollMs: 5, maxMs: 100, maxOutageMs: 50 },
    ...(random.chance(0.3) && {
      knownServer: {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "public",
      } as const,
    }),
  });
}

function createAnswer(request: HttpRequest, random: Random): { answer: HttpAnswer; shown: object } {
  const status = random.chance(0.75)
    ? 200
    : random.pick([202, 204, 301, 307, 400, 401, 403, 404, 405, 408, 413, 429, 500, 502, 503, 599]);
  const isStream = random.chance(0.4);
  const texts = answersTo(toValue(request.body), random);
  const joined = isStream ? texts.map((text) => toEvent(text, random)).join("") : (texts.at(-1) ?? "");
  const body = random.chance(0.1) ? mutateText(joined, random) : joined;
  const headers: Record<string, string> = {
    "content-type": random.chance(0.9)
      ? isStream
        ? "text/event-stream"
        : "application/json"
      : random.pick(hostileTexts),
    ...(random.chance(0.1) && { "mcp-session-id": random.pick(hostileTexts) }),
    ...(status === 401 && {
      "www-authenticate": `Bearer resource_metadata="${random.pick(hostileTexts)}", error=${random.pick(hostileTexts)}`,
    }),
    ...(status >= 300 && status < 400 && { location: random.pick(hostileTexts) }),
    ...(status === 429 && {
      "retry-after": random.pick(["0", "1", "-1", "x", "Wed, 21 Oct 2015 07:28:00 GMT", "1e999"]),
    }),
  };
  const breaks = random.chance(0.05);
  const chunks = toChunks(body, random);
  return {
    answer: toHttpAnswer({ status, headers, body, chunks, breaks, request }),
    shown: { status, headers, chunks, breaks },
  };
}

function toValue(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
}

function toEvent(text: string, random: Random): string {
  if (random.chance(0.9) && !text.includes("\r")) return toSseEvent(text);
  return random.pick([
    `data:${text}`,
    `event: endpoint\ndata: ${text}\n\n`,
    ":\n\n",
    "data\n\n",
    `id: ${text}\ndata:\n\n`,
    "retry: 0\n\n",
  ]);
}

function toChunks(body: string, random: Random): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < body.length && chunks.length < 20; ) {
    const end =
      chunks.length === 19 || random.chance(0.5) ? body.length : start + 1 + random.below(body.length - start);
    chunks.push(body.slice(start, end));
    start = end;
  }
  return chunks;
}

interface AnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly chunks: readonly string[];
  /** Breaks the connection in the middle of the body. */
  readonly breaks: boolean;
  readonly request: HttpRequest;
}

function toHttpAnswer({ status, headers, body, chunks, breaks, request }: AnswerParts): HttpAnswer {
  const lost = (): never => {
    throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  };
  async function* read(): AsyncGenerator<string, undefined> {
    for (const chunk of chunks) {
      if (request.signal?.aborted) throw request.signal.reason;
      await new Promise((resolve) => setImmediate(resolve));
      yield chunk;
    }
    return breaks ? lost() : undefined;
  }
  return {
    status,
    headers: (name) => headers[name.toLowerCase()],
    text: async (maxBytes) => {
      if (body.length > maxBytes) throw new TransportError("too_large", "the response is too large");
      return breaks ? lost() : body;
    },
    chunks: () => read(),
    discard: () => {},
  };
}
