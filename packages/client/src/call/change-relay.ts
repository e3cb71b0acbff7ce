// Delivers the changes of one subscription to its reader. For a slow reader, equal changes are kept once.
import type { Exchange, JsonRpcNotification } from "@lethe/protocol";

export interface ChangeRelay {
  send(notification: JsonRpcNotification): void;
  /** Starts delivery. The acknowledgement must come before any change, so changes are kept until then. */
  open(first: JsonRpcNotification): void;
}

/** Distinct changes kept for a slow reader. The oldest is dropped first. */
const maxHeld = 1_000;

/** Keeps all changes until it is opened. */
export function createChangeRelay(exchange: Exchange): ChangeRelay {
  const held = new Map<string, JsonRpcNotification>();
  let isHolding = true;

  function send(notification: JsonRpcNotification): void {
    if (isHolding) hold(notification);
    else write(notification);
  }

  function hold(notification: JsonRpcNotification): void {
    const { method, params } = notification;
    const key = `${method} ${params?.uri ?? params?.taskId ?? ""}`;
    held.delete(key);
    held.set(key, notification);
    const oldest = held.size > maxHeld ? held.keys().next().value : undefined;
    if (oldest !== undefined) held.delete(oldest);
  }

  function write(notification: JsonRpcNotification): void {
    if (exchange.notify(notification)) return;
    isHolding = true;
    void exchange.drained().then(release);
  }

  function release(): void {
    isHolding = false;
    for (const [key, notification] of held) {
      if (isHolding) return;
      held.delete(key);
      write(notification);
    }
  }

  return {
    send,
    open(first) {
      isHolding = false;
      write(first);
      if (!isHolding) release();
    },
  };
}
