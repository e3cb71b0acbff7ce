// The session with a legacy server. It starts again when the server has forgotten it.
import { isRepeatable, isRetry, type ModernRequest, method } from "@lethe/protocol";
import type { MessageWire } from "../call/message-wire.ts";
import type { Requester } from "../call/requester.ts";
import { isTransportError } from "../call/transport-error.ts";
import { type Handshake, type HandshakeOptions, shakeHands } from "./handshake.ts";
import { isSessionLost, isSessionWire, type SessionLostError, type SessionWire } from "./session-wire.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface SessionOptions extends HandshakeOptions {
  /**
   * Whether a request that the server refused, because it has forgotten the session, is sent again in a new session. False: it
   * fails with an error for which `isSessionLost` is true, and the next request begins a new session. Default true.
   */
  resendsAfterLoss?: boolean;
}

/** What depends on the session: it is set up after the first handshake, and again after each later one. */
export interface SessionDependents {
  readonly tools: Pick<ToolFacts, "isRepeatable" | "forget">;
  /** Called after a new session has started, which knows nothing of the earlier one. */
  onRenewed(): Promise<void>;
  /** True when subscriptions wait for notifications of the session. */
  isNeeded(): boolean;
}

export class Session {
  readonly #peer: string;
  /** Undefined for a transport without sessions. */
  readonly #wire: SessionWire | undefined;
  readonly #requester: Requester;
  readonly #options: SessionOptions;
  #handshake: Handshake;
  #dependents: SessionDependents | undefined;
  #isLost = false;
  #lossCount = 0;
  #renewing: Promise<void> | undefined;

  private constructor(wire: MessageWire, requester: Requester, options: SessionOptions, handshake: Handshake) {
    this.#peer = wire.peer;
    this.#wire = isSessionWire(wire) ? wire : undefined;
    this.#requester = requester;
    this.#options = options;
    this.#handshake = handshake;
    if (this.#wire) this.#wire.onSessionLost = () => this.#onLost();
  }

  /** Sends `initialize`. Rejects with McpError or TransportError. */
  static async begin(wire: MessageWire, requester: Requester, options: SessionOptions): Promise<Session> {
    const sessionWire = isSessionWire(wire) ? wire : undefined;
    return new Session(wire, requester, options, await begin(wire.peer, sessionWire, requester, options));
  }

  /** Called once, before the first request. */
  attach(dependents: SessionDependents): void {
    this.#dependents = dependents;
  }

  /** The handshake of the current session. */
  get handshake(): Handshake {
    return this.#handshake;
  }

  /** The server is known to have forgotten the session. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** How many sessions the server has forgotten. */
  get lossCount(): number {
    return this.#lossCount;
  }

  /** Starts a lost session again. */
  async ensure(): Promise<void> {
    if (!this.#isLost) return;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Starts the session again that was lost with `error`, unless that was an earlier session. */
  async renewAfter({ generation }: SessionLostError): Promise<void> {
    // A response in an earlier session says nothing about this one.
    this.#noteLoss(generation);
    await this.ensure();
  }

  /**
   * True when a request that failed with `error` may be sent again: the server refused it because it lost the session, or the
   * request changes nothing. False for a call that may have started and may do harm twice.
   */
  async mend(error: unknown, request: ModernRequest): Promise<boolean> {
    if (!this.#wire) return false;
    if (!isSessionLost(error)) return isLostAnswer(error) && this.#mayRepeat(request);
    if (this.#options.resendsAfterLoss === false) {
      this.#noteLoss(error.generation);
      return false;
    }
    await this.renewAfter(error);
    return true;
  }

  /** Whether a request may be sent again after its response was lost. http/recover.ts decides for modern servers. */
  #mayRepeat({ method: name, params }: ModernRequest): boolean {
    if (isRetry(params)) return false;
    if (isRepeatable(name)) return true;
    if (name !== method.callTool || typeof params.name !== "string") return false;
    return this.#dependents?.tools.isRepeatable(params.name) === true;
  }

  #noteLoss(generation: number | undefined): void {
    if (this.#isLost || generation !== this.#wire?.generation) return;
    this.#isLost = true;
    this.#lossCount += 1;
  }

  #onLost(): void {
    this.#noteLoss(this.#wire?.generation);
    // Subscriptions send no request that would discover the loss.
    if (this.#dependents?.isNeeded()) this.ensure().catch(() => {});
  }

  async #renew(): Promise<void> {
    this.#wire?.reset();
    this.#dependents?.tools.forget();
    this.#handshake = await begin(this.#peer, this.#wire, this.#requester, this.#options);
    this.#isLost = false;
    await this.#dependents?.onRenewed();
  }
}

async function begin(
  peer: string,
  wire: SessionWire | undefined,
  requester: Requester,
  options: HandshakeOptions,
): Promise<Handshake> {
  const agreed = await shakeHands(requester, peer, options, (revision) => wire?.agree(revision));
  wire?.open();
  return agreed;
}

function isLostAnswer(error: unknown): boolean {
  return isTransportError(error) && error.reason === "lost";
}
