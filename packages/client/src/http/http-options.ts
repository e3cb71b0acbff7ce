// What a connection over HTTP can be told, and the defaults.
import { type MemoryBudget, processMemory } from "@lethe/protocol";
import { LoopShare } from "../call/loop-share.ts";

export interface HttpOptions {
  /** Sent with every request, for example `authorization`. A function is asked anew for each request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Silence after which a request fails, in milliseconds. Default 60 000. A listen stream may be silent for ever. */
  timeoutMs?: number;
  /** What a request may take in all, in milliseconds. Default 3 600 000. */
  maxTotalMs?: number;
  /** The largest JSON answer, in bytes. Default 64 MiB. */
  maxBodyBytes?: number;
  /** The largest message in an event stream, in bytes. Default 16 MiB. */
  maxEventBytes?: number;
  /** Counts the answers that are being read; above its hard mark the largest fail. Default: one for the whole process. */
  memory?: MemoryBudget;
  /** Told of what was wrong but could be mended, such as a tool left out. Default `console.warn`. */
  onWarning?: (message: string) => void;
}

export type FilledHttpOptions = Required<Omit<HttpOptions, "headers">> & {
  /** Of the event loop, for all event streams of this server. */
  readonly share: LoopShare;
  readonly headers: () => Record<string, string> | Promise<Record<string, string>>;
};

const ours = /^(?:accept|content-type|content-length|host|transfer-encoding|connection|mcp-.*)$/i;

export function fillHttpOptions(options: HttpOptions): FilledHttpOptions {
  const { headers = {} } = options;
  return {
    headers: typeof headers === "function" ? async () => checkHeaders(await headers()) : always(checkHeaders(headers)),
    timeoutMs: options.timeoutMs ?? 60_000,
    share: new LoopShare(),
    maxTotalMs: options.maxTotalMs ?? 3_600_000,
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    memory: options.memory ?? processMemory,
    maxEventBytes: options.maxEventBytes ?? 16 * 1024 * 1024,
    onWarning: options.onWarning ?? console.warn,
  };
}

/** Throws TypeError for a header that the protocol decides on. */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (ours.test(name)) throw new TypeError(`the header ${name} cannot be set: the protocol decides on it`);
  }
  return headers;
}

function always<T>(value: T): () => T {
  return () => value;
}
