// The session with a legacy server, begun anew when the server has forgotten it (D-33).
import { isRetry, type ModernRequest, method } from "@lethe/protocol";
import type { MessageWire } from "../call/message-wire.ts";
import type { Requester } from "../call/requester.ts";
import { isTransportError } from "../call/transport-error.ts";
import { type Handshake, type HandshakeOptions, shakeHands } from "./handshake.ts";
import { isSessionWire, SessionLostError } from "./session-wire.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface Session {
  /** Of the present session. */
  readonly handshake: Handshake;
  /** The server has forgotten it, as far as we know. */
  readonly isLost: boolean;
  /** Begins a lost session anew. */
  ensure(): Promise<void>;
  /** Begins anew the session that refused something so, unless that was an earlier one. */
  renewAfter(error: SessionLostError): Promise<void>;
  /**
   * True when a request that failed so may be sent again: the server has refused it with its session, or it is one that
   * changes nothing. Never for a call that may have begun and may do harm twice.
   */
  mend(error: unknown, request: ModernRequest): Promise<boolean>;
}

export interface SessionContext {
  readonly requester: Requester;
  readonly tools: Pick<ToolFacts, "isRepeatable" | "forget">;
  readonly options: HandshakeOptions;
  /** After a new session has begun: whatever the server knew of us is to be told again. */
  onRenewed(): Promise<void>;
  /** True when somebody waits for what only a session brings. */
  isNeeded(): boolean;
}

export async function beginSession(wire: MessageWire, context: SessionContext): Promise<Session> {
  const { requester, options, tools } = context;
  let handshake = await begin();
  let isLost = false;
  let renewing: Promise<void> | undefined;

  async function begin(): Promise<Handshake> {
    const session = isSessionWire(wire) ? wire : undefined;
    const agreed = await shakeHands(requester, wire.peer, options, session?.agree);
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
    // An answer of an earlier session says nothing of this one.
    if (isSessionWire(wire) && generation === wire.generation) isLost = true;
    await ensure();
  }

  if (isSessionWire(wire)) {
    wire.onSessionLost = () => {
      isLost = true;
      // Whoever only listens sends no request that would find out.
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
      if (!(error instanceof SessionLostError)) return isLostAnswer(error) && isRepeatable(request, tools);
      await renewAfter(error);
      return true;
    },
  };
}

function isLostAnswer(error: unknown): boolean {
  return isTransportError(error) && error.reason === "lost";
}

function isRepeatable({ method: name, params }: ModernRequest, tools: SessionContext["tools"]): boolean {
  if (isRetry(params)) return false;
  return name !== method.callTool || (typeof params.name === "string" && tools.isRepeatable(params.name));
}
