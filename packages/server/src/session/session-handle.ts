// Handles of sessions, sealed: they contain the state itself, or the id of a session in a store (E-73, G-52).
import { isMcpError, type JsonObject } from "@lethe/protocol";
import { ToolError } from "../features/tool-error.ts";
import type { KeyRing } from "../seal/key-ring.ts";
import { type Binding, createSeal } from "../seal/seal.ts";

export interface SessionHandleOptions {
  /** The name of the server. A handle of another server does not open, even with the same keys. */
  readonly server: string;
  /** The name of the session. A handle of another session does not open. */
  readonly name: string;
  /** Lifetime of a handle in ms. */
  readonly ttlMs: number;
  /** Size of the content as JSON, in bytes. */
  readonly maxBytes: number;
  readonly now: () => number;
  /** Called once, when a key of this process alone seals the first handle. */
  onEphemeral?(): void;
}

export interface SessionHandles {
  seal(content: JsonObject, callerId: string | undefined): Promise<string>;
  /** Rejects with one and the same ToolError for a forged, foreign, truncated or expired handle. */
  open(handle: unknown, callerId: string | undefined): Promise<JsonObject>;
}

/** No method of the protocol has this name, so that neither a `requestState` opens as a handle nor a handle as a `requestState`. */
const method = "lethe/session";

export function createSessionHandles(ring: KeyRing, options: SessionHandleOptions): SessionHandles {
  const { name, ...sealOptions } = options;
  const { seal, open } = createSeal(ring, sealOptions);
  const bind = (callerId: string | undefined): Binding => ({ callerId, method, target: name, arguments: "" });
  return {
    seal: (content, callerId) => seal(content, bind(callerId)),
    async open(handle, callerId) {
      if (typeof handle !== "string") throw invalidHandle(name);
      try {
        return await open(handle, bind(callerId));
      } catch (error) {
        throw isMcpError(error) ? invalidHandle(name) : error;
      }
    },
  };
}

/** For every handle that leads to no session. It does not reveal the reason. */
export function invalidHandle(name: string): ToolError {
  return new ToolError(`the ${name}_handle is invalid or has expired: call without it to begin a new ${name}`);
}
