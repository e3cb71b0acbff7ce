// The legacy edge of a server, whose code is loaded with the first message of an older revision: a server without such clients starts faster.
import { isRequest, parseMessage } from "@lethe/protocol";
import { legacyMethod } from "@lethe/protocol/revisions";
import { requestIdOf } from "../http/admit.ts";
import { toErrorAnswer, toWireError } from "../http/answers.ts";
import { toErrorText } from "../http/response-text.ts";
import type { LegacyConnection, LegacyEdge, LegacyWire } from "../http/servable.ts";
import type { LegacyServed } from "./legacy-edge.ts";
import { fillLegacyOptions, type LegacyOptions, type LegacySettings } from "./shared/legacy-options.ts";
import { isLegacyBody, isLegacyMessage } from "./transports/detect-legacy.ts";
import { isSsePost } from "./transports/sse-url.ts";

/** Returns undefined with `sessions: "off"`. Throws an Error that names an invalid option. */
export function createLateLegacyEdge(served: LegacyServed, options: LegacyOptions): LegacyEdge | undefined {
  if (options.sessions === "off") return undefined;
  return openLateEdge(served, fillLegacyOptions(options), options.sessionTtlMs);
}

/** An object without a prototype of its own: programs may spread it to replace one of its methods. */
function openLateEdge(served: LegacyServed, settings: LegacySettings, sessionTtlMs: number | undefined): LegacyEdge {
  const { sse, relay, onError } = settings;
  let edge: LegacyEdge | undefined;
  let loading: Promise<LegacyEdge> | undefined;
  let isClosed = false;

  function load(): Promise<LegacyEdge> {
    loading ??= import("./legacy-edge.ts").then(
      ({ openLegacyEdge }) => {
        edge = openLegacyEdge(served, settings, sessionTtlMs);
        // It listens at the relay, which outlives the server.
        if (isClosed) edge.close();
        return edge;
      },
      (error: unknown) => {
        // The next message tries again: the process may have had no file descriptor left.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  }

  // Other processes send messages from now on.
  if (relay) load().catch(onError);
  return {
    paths: sse ? [sse.path, sse.messagesPath] : [],
    claims(message, head) {
      if (edge) return edge.claims(message, head);
      return (
        (sse !== undefined && isSsePost(head.url, sse, relay !== undefined)) || isLegacyBody(message, head.headers)
      );
    },
    receiveCall(call) {
      if (edge) edge.receiveCall(call);
      else
        load().then(
          (loaded) => {
            loaded.receiveCall(call);
            if (isClosed) loaded.close();
          },
          (error: unknown) => {
            onError(error);
            call.answer(toErrorAnswer(error, undefined, { status: 500 }));
          },
        );
    },
    connect: (wire) => edge?.connect(wire) ?? new LateConnection(wire, load, onError),
    close() {
      isClosed = true;
      edge?.close();
    },
  };
}

/** Messages that arrive while the code is loaded wait for it in their order. */
class LateConnection implements LegacyConnection {
  readonly #wire: LegacyWire;
  readonly #load: () => Promise<LegacyEdge>;
  readonly #onError: (error: unknown) => void;
  #connection: LegacyConnection | undefined;
  #connecting: Promise<LegacyConnection> | undefined;
  #hasSession = false;

  constructor(wire: LegacyWire, load: () => Promise<LegacyEdge>, onError: (error: unknown) => void) {
    this.#wire = wire;
    this.#load = load;
    this.#onError = onError;
  }

  receiveMessage(value: unknown): boolean {
    if (this.#connection) return this.#connection.receiveMessage(value);
    if (!isLegacyMessage(value, this.#hasSession)) return false;
    this.#hasSession ||= isInitialize(value);
    this.#connecting ??= this.#load().then(
      (edge) => {
        this.#connection = edge.connect(this.#wire);
        return this.#connection;
      },
      (error: unknown) => {
        this.#connecting = undefined;
        this.#hasSession = false;
        throw error;
      },
    );
    this.#connecting.then(
      (connection) => void connection.receiveMessage(value),
      (error: unknown) => {
        this.#onError(error);
        this.#wire.send(toErrorText(requestIdOf(value), toWireError(error)));
      },
    );
    return true;
  }

  async close(): Promise<void> {
    // A failure was the answer to the messages.
    await (await this.#connecting?.catch(() => undefined))?.close();
  }

  cutOff(): void {
    if (this.#connection) this.#connection.cutOff();
    else
      this.#connecting?.then(
        (connection) => connection.cutOff(),
        () => {},
      );
  }
}

/** Whether the message begins a session, as opposed to one that is refused. */
function isInitialize(value: unknown): boolean {
  try {
    const message = parseMessage(value);
    return isRequest(message) && message.method === legacyMethod.initialize;
  } catch {
    return false;
  }
}
