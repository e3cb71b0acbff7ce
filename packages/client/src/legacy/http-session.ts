// The HTTP requests of one legacy session, with the headers for its session id and revision.
import type { JsonRpcMessage } from "@lethe/protocol";
import { type LegacyRevision, revisionNamed } from "@lethe/protocol/revisions";
import type { CancelSignal } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { nameOfEndpoint } from "../http/endpoint.ts";
import type { FilledHttpOptions } from "../http/http-options.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "../http/http-send.ts";
import { toTransportError } from "../http/to-transport-error.ts";
import { addTraceHeaders } from "../http/trace-headers.ts";
import { reportHeads } from "./observed-params.ts";

export interface HttpSession {
  /** The server's name in error messages. */
  readonly peer: string;
  /** True from an `initialize` response with a session id until `reset`. */
  isNamed(): boolean;
  post(message: JsonRpcMessage, signal: CancelSignal): Promise<HttpAnswer>;
  get(lastEventId: string | undefined, signal: CancelSignal): Promise<HttpAnswer>;
  /** Pings the server to find out whether it still knows the session. The text of a refusal does not show that. */
  isAlive(): Promise<boolean>;
  /** Tells the server that the session is over. Ignores the response. */
  delete(): Promise<void>;
  agree(revision: LegacyRevision): void;
  reset(): void;
}

/** Visible ASCII, as the header allows. */
const sessionId = /^[\x21-\x7e]+$/;
const checkTimeoutMs = 5_000;

export function createHttpSession(url: URL, send: HttpSend, settings: FilledHttpOptions): HttpSession {
  const peer = nameOfEndpoint(url);
  let id: string | undefined;
  let revision: LegacyRevision | undefined;

  async function transmit(
    method: HttpRequest["method"],
    more: Record<string, string>,
    rest: Partial<HttpRequest>,
    message?: JsonRpcMessage,
  ) {
    const own = settings.headers();
    const headers: Record<string, string> = Object.assign({}, own instanceof Promise ? await own : own, more);
    if (id !== undefined) headers["mcp-session-id"] = id;
    if (revision && revisionNamed(revision).traits.hasVersionHeader) headers["mcp-protocol-version"] = revision;
    try {
      const answer = await send({ url, method, headers, ...rest });
      if (message)
        reportHeads(message, { sent: headers, status: answer.status, received: (name) => answer.headers(name) });
      return answer;
    } catch (thrown) {
      throw toTransportError(`${method} to ${peer}`, thrown);
    }
  }

  async function post(message: JsonRpcMessage, signal: CancelSignal): Promise<HttpAnswer> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    if ("method" in message) addTraceHeaders(headers, message.params);
    const answer = await transmit("POST", headers, { body: JSON.stringify(message), signal }, message);
    if ("method" in message && message.method === "initialize" && answer.status === 200) {
      const given = answer.headers("mcp-session-id");
      if (given !== undefined && sessionId.test(given)) id = given;
    }
    return answer;
  }

  /** Runs `request` with a time limit of its own; undefined when it failed. */
  async function within(request: (signal: CancelSignal) => Promise<HttpAnswer>): Promise<number | undefined> {
    const limits = { timeoutMs: checkTimeoutMs, maxTotalMs: checkTimeoutMs };
    const deadline = new Deadline(peer, limits, undefined);
    try {
      const answer = await request(deadline);
      answer.discard();
      return answer.status;
    } catch {
      return undefined;
    } finally {
      deadline.clear();
    }
  }

  return {
    peer,
    isNamed: () => id !== undefined,
    post,
    get(lastEventId, signal) {
      const resume: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      return transmit("GET", { accept: "text/event-stream", ...resume }, { signal });
    },
    async isAlive() {
      const ping = { jsonrpc: "2.0", id: `check-${crypto.randomUUID()}`, method: "ping" } as const;
      const status = await within((signal) => post(ping, signal));
      return status === undefined || status < 400;
    },
    async delete() {
      if (id !== undefined) await within((signal) => transmit("DELETE", {}, { signal }));
    },
    agree(agreed) {
      revision = agreed;
    },
    reset() {
      id = undefined;
      revision = undefined;
    },
  };
}
