// The session with a legacy server. It starts again when the server has forgotten it.
import { isRetry, type ModernRequest, method } from "@lethe/protocol";
import type { MessageWire } from "../call/message-wire.ts";
import type { Requester } from "../call/requester.ts";
import { isTransportError } from "../call/transport-error.ts";
import { type Handshake, type HandshakeOptions, shakeHands } from "./handshake.ts";
import { isSessionWire, SessionLostError } from "./session-wire.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface Session {
  /** The handshake of the current session. */
  readonly handshake: Handshake;
  /** The server is known to have forgotten the session. */
  readonly isLost: boolean;
  /** Starts a lost session again. */
  ensure(): Promise<void>;
  /** Starts the session again that was lost with `error`, unless that was an earlier session. */
  renewAfter(error: SessionLostError): Promise<void>;
  /**
   * True when a request that failed with `error` may be sent again: the server refused it because it lost the session, or the
   * request changes nothing. False for a call that may have started and may do harm twice.
   */
  mend(error: unknown, request: ModernRequest): Promise<boolean>;
}

export interface SessionContext {
  readonly requester: Requester;
  readonly tools: Pick<ToolFacts, "isRepeatable" | "forget">;
  readonly options: HandshakeOptions;
  /** Called after a new session has started, which knows nothing of the earlier one. */
  onRenewed(): Promise<void>;
  /** True when subscriptions wait for notifications of the session. */
  isNeeded(): boolean;
}

export async function beginSession(wire: MessageWire, context: SessionContext): Promise<Session> {
  const { requester, options, tools } = context;
  let handshake = await begin();
  let isLost = false;
  let renewing: Promise<void> | undefined;

  async function begin(): Promise<Handshake> {
    const session = isSessionWire(wire) ? wire : undefined;
    const agreed = await shakeHands(requester, wire.peer, options, (revision) => session?.agree(revision));
    session?.open();
    return agreed;
  }

  async function renew(): Promise<void> {
    if (isSessionWire(wire)) wire.reset();
    tools.forget();
    handshake = await begin();
    isLost = false;
    await context.onRenewed();
  }

  async function ensure(): Promise<void> {
    if (!isLost) return;
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    await renewing;
  }

  async function renewAfter({ generation }: SessionLostError): Promise<void> {
    // A response in an earlier session says nothing about this one.
    if (isSessionWire(wire) && generation === wire.generation) isLost = true;
    await ensure();
  }

  if (isSessionWire(wire)) {
    wire.onSessionLost = () => {
      isLost = true;
      // Subscriptions send no request that would discover the loss.
      if (context.isNeeded()) ensure().catch(() => {});
    };
  }

  return {
    get handshake() {
      return handshake;
    },
    get isLost() {
      return isLost;
    },
    ensure,
    renewAfter,
    async mend(error, request) {
      if (!isSessionWire(wire)) return false;
      if (!(error instanceof SessionLostError)) return isLostAnswer(error) && mayRepeat(request, tools);
      await renewAfter(error);
      return true;
    },
  };
}

function isLostAnswer(error: unknown): boolean {
  return isTransportError(error) && error.reason === "lost";
}

/** Whether a request may be sent again after its response was lost. http/recover.ts decides for modern servers. */
function mayRepeat({ method: name, params }: ModernRequest, tools: SessionContext["tools"]): boolean {
  if (isRetry(params)) return false;
  return name !== method.callTool || (typeof params.name === "string" && tools.isRepeatable(params.name));
}
