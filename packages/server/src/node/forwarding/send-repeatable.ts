// Sends messages that have no effect the second time, such as the end of a call.
import { type Carrier, DirectClosedError } from "./carrier.ts";

/** Sends the message once more, through the shared store, if its direct connection was closed. A failure after that has no consequence here. */
export function sendRepeatable<M extends object>(messaging: Pick<Carrier<M>, "send">, to: string, message: M): void {
  const send = (): Promise<number> => messaging.send(to, message);
  send()
    .catch((error: unknown) => (error instanceof DirectClosedError ? send() : 0))
    .catch(() => {});
}
