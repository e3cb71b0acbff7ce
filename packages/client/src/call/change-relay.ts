// Sends the changes of one subscription to its reader; for a slow one, each different change is kept once.
import type { Exchange, JsonRpcNotification } from "@lethe/protocol";

export interface ChangeRelay {
  send(notification: JsonRpcNotification): void;
  /** Past what is kept: the acknowledgement, which comes before any change. From now on changes go out. */
  open(first: JsonRpcNotification): void;
}

/** So many different changes are kept for a reader that does not read; the oldest gives way. */
const maxHeld = 1_000;

/** Keeps everything until it is opened. */
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
