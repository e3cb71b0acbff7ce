// server.fetch without a socket: requests of both eras that reuse values of earlier responses.
import { createFuzzServer } from "../fixture/create-fuzz-server.ts";
import { createErrorTrap } from "../fixture/error-trap.ts";
import { createRequestSource, type HttpInput, type RequestSource } from "../input/request-source.ts";
import { createHealthMonitor } from "../run/health.ts";
import type { Tally, Target } from "../run/target.ts";
import { wrongAnswer } from "./check-answer.ts";

const requestsPerRound = 300;
const atOnce = 32;
/** Longer than any time limit of the fixture. */
const answerMs = 20_000;
/** Time to read an event stream, which may stay open. */
const streamMs = 10;
const hung = Symbol("hung");

export const serverFetchTarget: Target = {
  name: "server-fetch",
  weight: 5,
  async start() {
    const trap = createErrorTrap();
    const server = createFuzzServer(trap);
    const monitor = createHealthMonitor();

    async function send(input: HttpInput, source: RequestSource, tally: Tally, leavesEarly: boolean): Promise<void> {
      const request = toRequest(input);
      if (!request) return;
      tally.input(input);
      const abort = new AbortController();
      if (leavesEarly) setImmediate(() => abort.abort());
      const answering = server.fetch(new Request(request, { signal: abort.signal }));
      const answer = await within(answerMs, answering);
      if (answer === hung) return tally.fail({ kind: "hang", detail: `no answer within ${answerMs} ms`, input });
      const text = await readSome(answer, abort);
      const wrong = wrongAnswer({ status: answer.status, text, mayBeBusy: answer.headers.has("retry-after") });
      if (wrong) tally.fail({ kind: "wrong", detail: wrong, input });
      const thrown = trap.take();
      if (thrown !== undefined) tally.fail({ kind: "crash", detail: thrown, input });
      source.learn(text, answer.headers.get("mcp-session-id") ?? undefined);
    }

    return {
      async round(random, tally) {
        const source = createRequestSource(random, { path: "/mcp", host: "127.0.0.1" });
        let left = requestsPerRound;
        const worker = async (): Promise<void> => {
          while (left-- > 0) await send(source.next(), source, tally, random.chance(0.01));
        };
        await Promise.all(Array.from({ length: atOnce }, worker));
      },
      health: monitor.read,
      async close() {
        monitor.stop();
        await server.close();
      },
    };
  },
};

/** Returns undefined if no Request can express the input, for example a header name with a line break. */
function toRequest({ method, path, headers, body }: HttpInput): Request | undefined {
  try {
    const init: RequestInit = { method, headers: new Headers(headers) };
    if (body !== undefined) init.body = body;
    return new Request(new URL(path, "http://127.0.0.1/"), init);
  } catch {
    return undefined;
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | typeof hung> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof hung>((resolve) => {
    timer = setTimeout(() => resolve(hung), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/** Reads the whole body of a response, or the start of an event stream before disconnecting. */
async function readSome(answer: Response, abort: AbortController): Promise<string> {
  if (!answer.body) return "";
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream) return answer.text().catch(() => "");
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), streamMs);
  try {
    for (let part = await reader.read(); !part.done && text.length < 65_536; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    // Our own abort ended the body.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
    abort.abort();
  }
  return text;
}
