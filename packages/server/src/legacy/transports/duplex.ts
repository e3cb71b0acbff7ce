// A legacy client on a persistent connection: stdio, where clients of both eras may alternate (C-17), or the stream of HTTP+SSE.
// The session lasts as long as the connection.
import {
  errorCode,
  isJsonObject,
  isRequest,
  type JsonObject,
  type JsonRpcRequest,
  McpError,
  notificationMethod,
  parseMessage,
  type RequestId,
} from "@lethe/protocol";
import { legacyMethod, legacyNotification } from "@lethe/protocol/revisions";
import { requestIdOf } from "../../http/admit.ts";
import { isInternal, toWireError } from "../../http/answers.ts";
import { toErrorText } from "../../http/response-text.ts";
import type { LegacyConnection, LegacyWire } from "../../http/servable.ts";
import type { MessageSink } from "../calls/running-call.ts";
import { passNotifications } from "../methods/pass-notification.ts";
import { type LegacyResponse, runRequest } from "../methods/run-request.ts";
import { noteRootsChange } from "../methods/session-settings.ts";
import { performHandshake } from "../sessions/handshake.ts";
import { LegacySession, type SessionStream } from "../sessions/session.ts";
import type { ClientMessage } from "../shared/client-message-relay.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";
import { parseBatch } from "./batch.ts";
import { ChangeFeed } from "./change-feed.ts";
import { isLegacyMessage } from "./detect-legacy.ts";

export class Duplex implements LegacyConnection, MessageSink, SessionStream {
  readonly canRequestInput = true;
  readonly #wire: LegacyWire;
  readonly #context: LegacyContext;
  readonly #peer: Peer;
  /** Set as soon as `initialize` arrives, so that the messages after it wait for its result. */
  #opening: Promise<LegacySession> | undefined = undefined;
  #session: LegacySession | undefined = undefined;
  #feed: ChangeFeed | undefined = undefined;
  /** Messages in progress. */
  #active = 0;
  #onIdle: (() => void) | undefined = undefined;

  constructor(wire: LegacyWire, context: LegacyContext, peer: Peer) {
    this.#wire = wire;
    this.#context = context;
    this.#peer = peer;
  }

  /**
   * `sender` is the peer of this message: on HTTP+SSE, each POST authenticates by itself. Calls `done` when nothing that the message
   * has begun runs any more.
   */
  receiveMessage(value: unknown, sender: Peer = this.#peer, done?: () => void): boolean {
    if (!this.#isLegacy(value)) return false;
    this.#active += 1;
    void this.#work(value, sender, done);
    return true;
  }

  async close(): Promise<void> {
    this.#session?.endStreams();
    this.#session?.inputRequests.close();
    if (this.#active > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.cutOff();
  }

  cutOff(): void {
    const session = this.#session;
    if (!session) return;
    session.end();
    void this.#context.settings.store.forget(session.facts.id);
  }

  notify(text: string): boolean {
    return this.#wire.isSlow ? false : this.#wire.send(text);
  }

  send(text: string): void {
    this.#wire.send(text);
  }

  drained(): Promise<void> {
    return this.#wire.drained();
  }

  whenStarted(callback: () => void): void {
    if (this.#feed) this.#feed.whenStarted(callback);
    else callback();
  }

  stateChanged(state: SessionState): void {
    this.#feed?.watch(state);
  }

  /** The change feed is the only stream of a connection. */
  end(): void {
    this.#feed?.stop();
  }

  /** D.4: a message that both eras allow belongs to the era in use. */
  #isLegacy(value: unknown): boolean {
    if (isLegacyMessage(value, this.#opening !== undefined)) return true;
    if (!isJsonObject(value) || value.method !== notificationMethod.cancelled || "id" in value) return false;
    return isJsonObject(value.params) && this.#session?.isRunning(value.params.requestId) === true;
  }

  async #work(value: unknown, sender: Peer, done: (() => void) | undefined): Promise<void> {
    try {
      await this.#take(value, sender);
    } catch (error) {
      this.#refuse(value, error);
    } finally {
      done?.();
      this.#active -= 1;
      if (this.#active === 0) this.#onIdle?.();
    }
  }

  async #take(value: unknown, sender: Peer): Promise<void> {
    if (isJsonObject(value) && value.method === legacyMethod.initialize) return this.#initialize(parseRequest(value));
    if (!this.#opening) return this.send(toResult(parseRequest(value).id, {}));
    const session = await this.#opening;
    const { requests, clientMessages, refusals, isArray } = parseBatch(
      value,
      session.facts.revision,
      this.#context.settings.maxBatch,
    );
    const { others, passed } = passNotifications(clientMessages, session, sender, this.#context);
    for (const message of others) this.#receiveClientMessage(message, session);
    await passed?.over;
    const target = { session, sink: this, peer: sender, context: this.#context };
    const responses = await Promise.all(
      requests.map(
        (request) => new Promise<LegacyResponse | undefined>((resolve) => runRequest(request, target, resolve)),
      ),
    );
    const texts = [...refusals, ...responses.flatMap((response) => response?.text ?? [])];
    if (texts.length > 0) this.send(isArray ? `[${texts.join(",")}]` : texts.join(""));
  }

  async #initialize(request: JsonRpcRequest): Promise<void> {
    const handshake = performHandshake(request, this.#peer, this.#context, false);
    const before = this.#session;
    this.#opening = handshake.then(({ facts }) => new LegacySession(facts, this.#context));
    try {
      this.#session = await this.#opening;
      before?.end();
      this.send(toResult(request.id, (await handshake).result));
    } catch (error) {
      this.#opening = before && Promise.resolve(before);
      throw error;
    }
  }

  #receiveClientMessage(message: ClientMessage, session: LegacySession): void {
    session.receiveClientMessage(message);
    if ("method" in message && message.method === legacyNotification.rootsChanged) {
      noteRootsChange(session, this.#context);
    }
    if (!("method" in message) || message.method !== legacyNotification.initialized || session.changeStream) return;
    session.changeStream = this;
    session.attach(this);
    this.#feed = new ChangeFeed(session.facts, this.#context, this, this.#peer);
    this.#feed.watch();
  }

  #refuse(value: unknown, thrown: unknown): void {
    if (isJsonObject(value) && "method" in value && !("id" in value)) return;
    if (isInternal(thrown)) this.#context.settings.onError(thrown);
    this.send(toErrorText(requestIdOf(value), toWireError(thrown)));
  }
}

function parseRequest(value: unknown): JsonRpcRequest {
  const message = parseMessage(value);
  if (isRequest(message)) return message;
  throw new McpError(errorCode.invalidRequest, "invalid request: expected a request");
}

function toResult(id: RequestId, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}
