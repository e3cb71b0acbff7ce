// Opens a direct connection to another replica.
import { connect, type TLSSocket } from "node:tls";
import { parseHostAndPort } from "../connection/host-and-port.ts";
import type { LinkKeys } from "./link-keys.ts";
import { handshakeMs, keepAliveMs, tlsSettings } from "./tls-settings.ts";

/** Resolves when both sides have proved their ids. Rejects with an Error that says what is wrong. `signal` ends the attempt. */
export function dialLink(
  { replica, address }: { readonly replica: string; readonly address: string },
  keys: LinkKeys,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const target = parseHostAndPort(address);
    if (!target) return reject(new Error("host:port expected as its address"));
    const socket = connect({
      ...{ ...target, ...tlsSettings },
      pskCallback: () => keys.present(replica),
      // The other side proves its id by the key. A certificate proves nothing here.
      ca: [],
      // The default comes from NODE_TLS_REJECT_UNAUTHORIZED, which operators may set for other servers.
      rejectUnauthorized: true,
      checkServerIdentity: () => new Error("a pre-shared key expected, got a certificate"),
    });
    const end = (): void => void socket.destroy(new Error("this replica stops"));
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${handshakeMs} ms`)), handshakeMs);
    signal.addEventListener("abort", end, { once: true });
    const onError = (error: NodeJS.ErrnoException): void => reject(new Error(reasonOf(error)));
    const onClose = (): void => {
      settle();
      reject(new Error("it closed the connection"));
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      socket.off("close", onClose);
    };
    socket.once("error", onError).once("close", onClose);
    socket.once("secureConnect", () => {
      settle();
      // True for a pre-shared key, which TLS counts as a resumed session.
      if (!socket.isSessionReused()) return void socket.destroy(new Error("a pre-shared key expected"));
      socket.off("error", onError).setNoDelay().setKeepAlive(true, keepAliveMs);
      resolve(socket);
    });
  });
}

function reasonOf({ code = "", message }: NodeJS.ErrnoException): string {
  // The versions of OpenSSL differ in the middle: ERR_SSL_SSLV3_ALERT_…, ERR_SSL_SSL/TLS_ALERT_…
  if (/^ERR_SSL_.*_ALERT_(?:HANDSHAKE_FAILURE|ILLEGAL_PARAMETER)$/.test(code))
    return "it has other keys, or another replica is at this address";
  return message;
}
