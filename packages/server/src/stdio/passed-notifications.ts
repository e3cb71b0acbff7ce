// Passes notifications of extensions from a client on stdio on to the server, as the HTTP edge does.
import { dispatchRequest, type JsonRpcNotification } from "@lethe/protocol";
import { toNotificationRequest } from "../http/notification-request.ts";
import type { Servable } from "../http/servable.ts";
import { StdioExchange, type StdioOutput } from "./stdio-exchange.ts";

export class PassedNotifications {
  readonly #servable: Servable;
  readonly #output: StdioOutput;
  readonly #max: number;
  readonly #running: Map<StdioExchange, Promise<void>> = new Map();

  /** Beyond `max` notifications that the server has not taken yet, more are dropped. */
  constructor(servable: Servable, output: StdioOutput, max: number) {
    this.#servable = servable;
    this.#output = output;
    this.#max = max;
  }

  /** A failure is not reported, because a notification has no response. */
  pass(notification: JsonRpcNotification): void {
    const request = toNotificationRequest(notification, this.#servable);
    if (!request || this.#running.size >= this.#max) return;
    const exchange = new StdioExchange(this.#output, false);
    const end = () => void this.#running.delete(exchange);
    this.#running.set(exchange, dispatchRequest(this.#servable, request, exchange).then(end, end));
  }

  /** Resolves when the server has taken all notifications. */
  async passed(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  cancel(): void {
    for (const exchange of this.#running.keys()) exchange.cancel();
  }
}
