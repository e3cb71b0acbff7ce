// Options of a connection over HTTP, with their defaults.
import { type KnownOptions, type MemoryBudget, processMemory } from "@lethe/protocol";
import { LoopShare } from "../call/loop-share.ts";
import { type FilledRetries, fillRetries, knownRetryOptions, type RetryOptions } from "./retries.ts";

/** Options of a connection over HTTP. */
export interface HttpOptions {
  /** Headers of every request, for example `authorization`. A function is called for each request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Inactivity after which a request fails, in ms. Does not apply to listen streams. Default 60 000. */
  timeoutMs?: number;
  /** Total time limit of a request, in ms. Default 3 600 000. */
  maxTotalMs?: number;
  /** Largest JSON response, in bytes. Default 64 MiB. */
  maxBodyBytes?: number;
  /** Largest message in an event stream, in bytes. Default 16 MiB. */
  maxEventBytes?: number;
  /** Counts responses while they are read. Above its hard limit the largest are aborted. Default: one budget per process. */
  memory?: MemoryBudget;
  /**
   * Repeats requests that certainly did not start: the connection was refused, or the server answered that it is busy or that a part of
   * it is away. False repeats none. Default of `connect`: 4 attempts within 15 s. Default of a bare connection: none.
   */
  retries?: RetryOptions | false;
  /** Receives warnings about faults that the client could work around, such as a skipped tool. Default `console.warn`. */
  onWarning?: (message: string) => void;
}

export const knownHttpOptions: KnownOptions<HttpOptions> = {
  headers: true,
  timeoutMs: true,
  maxTotalMs: true,
  maxBodyBytes: true,
  maxEventBytes: true,
  memory: true,
  retries: knownRetryOptions,
  onWarning: true,
};

export type FilledHttpOptions = Required<Omit<HttpOptions, "headers" | "retries">> & {
  readonly retries: FilledRetries | undefined;
  /** Share of the event loop for all event streams of this server. */
  readonly share: LoopShare;
  readonly headers: () => Record<string, string> | Promise<Record<string, string>>;
};

const protocolHeaders =
  /^(?:accept|content-type|content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect|mcp-.*)$/i;

export function fillHttpOptions(options: HttpOptions): FilledHttpOptions {
  const { headers = {} } = options;
  return {
    headers: typeof headers === "function" ? async () => checkHeaders(await headers()) : always(checkHeaders(headers)),
    timeoutMs: options.timeoutMs ?? 60_000,
    retries: fillRetries(options.retries ?? false),
    share: new LoopShare(),
    maxTotalMs: options.maxTotalMs ?? 3_600_000,
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    memory: options.memory ?? processMemory,
    maxEventBytes: options.maxEventBytes ?? 16 * 1024 * 1024,
    onWarning: options.onWarning ?? console.warn,
  };
}

/**
 * True for a header that the protocol controls, such as `content-type` or `mcp-session-id`. A connection rejects such a
 * header with TypeError.
 *
 * @example
 * import { isProtocolHeader } from "@lethe/client/edge";
 *
 * console.log(isProtocolHeader("Mcp-Method"), isProtocolHeader("authorization")); // true false
 */
export function isProtocolHeader(name: string): boolean {
  return protocolHeaders.test(name);
}

/** Throws TypeError for headers that the protocol controls. */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (isProtocolHeader(name)) throw new TypeError(`the header ${name} cannot be set: the protocol decides on it`);
  }
  return headers;
}

function always<T>(value: T): () => T {
  return () => value;
}
