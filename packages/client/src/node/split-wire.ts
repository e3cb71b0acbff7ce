// One process with two conversations: the era probe, and a legacy session that is tried beside it.
import { isResponse, type JsonRpcMessage, type RequestId } from "@lethe/protocol";
import type { MessageWire } from "../call/message-wire.ts";
import { TransportError } from "../call/transport-error.ts";

export interface SplitWire {
  /** Receives the responses to the probe's ids. */
  readonly probe: MessageWire;
  /** Receives all other messages. */
  readonly session: MessageWire;
  /** The session wins: it owns the wire from now on, and late responses to the probe match no request. */
  keepSession(): void;
  /** The probe wins: the session can send nothing more, and its messages are dropped. */
  dropSession(): void;
}

/** `isProbeId` tells the probe's ids apart. */
export function splitWire(wire: MessageWire, isProbeId: (id: RequestId) => boolean): SplitWire {
  const { peer, closed } = wire;
  const close = () => wire.close();
  let hasSession = false;
  let isDropped = false;
  let endSession: (error: TransportError) => void = () => {};
  const dropped = new Promise<TransportError>((resolve) => {
    endSession = resolve;
  });
  const probe: MessageWire = { peer, closed, close, onMessage: () => {}, send: (message) => wire.send(message) };
  const session: MessageWire = {
    ...{ peer, close },
    closed: Promise.race([closed, dropped]),
    onMessage: () => {},
    send(message) {
      if (isDropped) throw unused(peer);
      hasSession = true;
      return wire.send(message);
    },
  };

  wire.onMessage = (message, origin) => {
    const target = isOfProbe(message) ? probe : session;
    if (target === probe || !isDropped) target.onMessage(message, origin);
  };
  // An error without an id belongs to the probe, which was sent first (J-29).
  wire.onInvalid = (id, error) => {
    const target = id === undefined || isProbeId(id) ? probe : session;
    target.onInvalid?.(id, error);
  };

  function isOfProbe(message: JsonRpcMessage): boolean {
    if (!hasSession) return true;
    return isResponse(message) && (message.id === undefined || isProbeId(message.id));
  }

  return {
    probe,
    session,
    keepSession() {
      wire.onMessage = (message, origin) => session.onMessage(message, origin);
      wire.onInvalid = (id, error) => session.onInvalid?.(id, error);
    },
    dropSession() {
      isDropped = true;
      endSession(unused(peer));
    },
  };
}

function unused(peer: string): TransportError {
  return new TransportError("closed", `${peer} speaks a modern revision`);
}
