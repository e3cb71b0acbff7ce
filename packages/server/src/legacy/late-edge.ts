// The legacy edge of a server, whose code is loaded with the first message of an older revision: a server without such clients starts faster.
import { isRequest, parseMessage } from "@lethe/protocol";
import { legacyMethod } from "@lethe/protocol/revisions";
import { requestIdOf } from "../http/admit.ts";
import { toErrorAnswer, toWireError } from "../http/answers.ts";
import { toErrorText } from "../http/response-text.ts";
import type { LegacyConnection, LegacyEdge, LegacyHttpCall, LegacyWire, RequestHead } from "../http/servable.ts";
import type { LegacyServed } from "./legacy-edge.ts";
import { fillLegacyOptions, type LegacyOptions, type LegacySettings } from "./shared/legacy-options.ts";
import { isLegacyBody, isLegacyMessage } from "./transports/detect-legacy.ts";
import { isSsePost } from "./transports/sse-url.ts";

/** Returns undefined with `sessions: "off"`. Throws an Error that names an invalid option. */
export function createLateLegacyEdge(served: LegacyServed, options: LegacyOptions): LegacyEdge | undefined {
  if (options.sessions === "off") return undefined;
  return new LateEdge(served, fillLegacyOptions(options), options.sessionTtlMs);
}

class LateEdge implements LegacyEdge {
  readonly paths: readonly string[];
  readonly #served: LegacyServed;
  readonly #settings: LegacySettings;
  readonly #sessionTtlMs: number | undefined;
  #edge: LegacyEdge | undefined;
  #loading: Promise<LegacyEdge> | undefined;
  #isClosed = false;

  constructor(served: LegacyServed, settings: LegacySettings, sessionTtlMs: number | undefined) {
    this.#served = served;
    this.#settings = settings;
    this.#sessionTtlMs = sessionTtlMs;
    const { sse, relay } = settings;
    this.paths = sse ? [sse.path, sse.messagesPath] : [];
    // Other processes send messages from now on.
    if (relay) this.#load().catch(settings.onError);
  }

  claims(message: unknown, head: RequestHead): boolean {
    if (this.#edge) return this.#edge.claims(message, head);
    const { sse, relay } = this.#settings;
    return (sse !== undefined && isSsePost(head.url, sse, relay !== undefined)) || isLegacyBody(message, head.headers);
  }

  receiveCall(call: LegacyHttpCall): void {
    if (this.#edge) {
      this.#edge.receiveCall(call);
      return;
    }
    this.#load().then(
      (edge) => {
        edge.receiveCall(call);
        if (this.#isClosed) edge.close();
      },
      (error: unknown) => {
        this.#settings.onError(error);
        call.answer(toErrorAnswer(error, undefined, { status: 500 }));
      },
    );
  }

  connect(wire: LegacyWire): LegacyConnection {
    return this.#edge?.connect(wire) ?? new LateConnection(wire, () => this.#load(), this.#settings.onError);
  }

  close(): void {
    this.#isClosed = true;
    this.#edge?.close();
  }

  #load(): Promise<LegacyEdge> {
    this.#loading ??= import("./legacy-edge.ts").then(({ openLegacyEdge }) => {
      this.#edge = openLegacyEdge(this.#served, this.#settings, this.#sessionTtlMs);
      return this.#edge;
    });
    return this.#loading;
  }
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
    this.#connecting ??= this.#load().then((edge) => {
      this.#connection = edge.connect(this.#wire);
      return this.#connection;
    });
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
    await (await this.#connecting)?.close();
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
