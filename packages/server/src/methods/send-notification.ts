// Sends a notification of an extension on the stream of a request, to a client that declares the extension.
import {
  clientCapabilitiesOf,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type ModernRequest,
} from "@lethe/protocol";

interface Sender {
  readonly id: string;
  /** The names of its notifications. */
  readonly notifications?: readonly string[];
}

/** Throws an Error for a name that the extension does not list. */
export function sendNotification(
  extension: Sender,
  { request, exchange }: { readonly request: ModernRequest; readonly exchange: Exchange },
  name: string,
  params: unknown,
): void {
  const { id } = extension;
  const listed = extension.notifications ?? [];
  if (!listed.includes(name)) {
    const names = listed.length > 0 ? listed.join(", ") : "none";
    throw new Error(`extension ${JSON.stringify(id)}: its "notifications" must name ${name}; they name ${names}`);
  }
  if (isDeclared(id, request)) exchange.notify({ jsonrpc: "2.0", method: name, params: params as JsonObject });
}

/** Whether the client declares the extension with this request. */
export function isDeclared(id: string, request: ModernRequest): boolean {
  return isJsonObject(clientCapabilitiesOf(request).extensions?.[id]);
}
