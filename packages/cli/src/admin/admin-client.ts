// Reads the admin API of a gateway for the commands status, top and tail.
import { createSseDecoder, type SseEvent } from "@lethe/protocol";
import { requireServerUrl } from "../commands/server-url.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";

export const defaultGatewayUrl = "http://localhost:3000";
const requestMs = 10_000;
/** A gateway sends a comment at least every 15 s. */
const silenceMs = 60_000;
const maxErrorLength = 300;

export interface AdminClientOptions {
  /** Any URL of the gateway: its origin counts. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** The connection was lost, and another one may work. */
export class ConnectionLost extends Error {}

export class AdminClient {
  readonly origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws CommandError for what is no URL. */
  constructor({ url, key }: AdminClientOptions) {
    requireServerUrl(url);
    this.origin = new URL(url).origin;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** Rejects with CommandError when the gateway refuses, and with ConnectionLost when it cannot be reached. */
  async get<T>(path: string, signal: AbortSignal): Promise<T> {
    const response = await this.#send(path, {}, AbortSignal.any([signal, AbortSignal.timeout(requestMs)]));
    try {
      return (await response.json()) as T;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new ConnectionLost(reasonOf(error));
    }
  }

  /** Ends with ConnectionLost when the stream ends. `lastEventId` is the id of the last event that was received. */
  async *events(path: string, lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<SseEvent> {
    const silence = new AbortController();
    const alarm = setTimeout(() => silence.abort(), silenceMs);
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    try {
      const { body } = await this.#send(path, headers, AbortSignal.any([signal, silence.signal]));
      const decoder = createSseDecoder();
      const text = new TextDecoder();
      for await (const piece of body ?? []) {
        alarm.refresh();
        yield* decoder.push(text.decode(piece, { stream: true }));
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof CommandError || error instanceof ConnectionLost) throw error;
      throw new ConnectionLost(silence.signal.aborted ? `silent for ${silenceMs / 1_000} s` : reasonOf(error));
    } finally {
      clearTimeout(alarm);
    }
    throw new ConnectionLost("the gateway ended the stream");
  }

  async #send(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${this.origin}/admin/v1${path}`, {
        headers: { ...this.#headers, ...headers },
        redirect: "manual",
        signal,
      });
    } catch (error) {
      if (signal.aborted && signal.reason instanceof CommandError) throw signal.reason;
      throw new ConnectionLost(reasonOf(error));
    }
    if (response.ok) return response;
    const said = toPrintableLine((await response.text().catch(() => "")).slice(0, maxErrorLength));
    if (response.status >= 500) throw new ConnectionLost(`it answers ${response.status}: ${said}`);
    throw new CommandError(this.#explain(response.status, said), exitCode.unreachable);
  }

  #explain(status: number, said: string): string {
    const { origin } = this;
    if (status === 401) {
      return `${origin} needs its admin key (gateway.admin.key): --admin-key, or LETHE_ADMIN_KEY in the environment`;
    }
    if (status === 403) return `${origin} refuses administration from here: ${problemIn(said)}`;
    if (status === 404) return `${origin} answers 404: it is no Lethe gateway, or its administration has another port`;
    return `${origin} answers ${status}: ${problemIn(said)}`;
  }
}

/** The error for a gateway that does not answer at all. */
export function toUnreachable({ origin }: AdminClient, { message }: Error): CommandError {
  const what = `no gateway answers at ${origin}: ${message}`;
  return new CommandError(
    `${what}; start one with \`lethe gateway --config FILE\`, or give its URL`,
    exitCode.unreachable,
  );
}

function problemIn(said: string): string {
  try {
    const { error } = JSON.parse(said) as { error?: unknown };
    return typeof error === "string" ? error : said;
  } catch {
    return said;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return toPrintableLine(cause instanceof Error && cause.message !== "" ? cause.message : message);
}
