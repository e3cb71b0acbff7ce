// Accepts direct connections of other replicas. A peer without the keys of the deployment gets no further than the TLS handshake.
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { HostAndPort } from "../connection/host-and-port.ts";
import type { LinkKeys } from "./link-keys.ts";
import { keepAliveMs, tlsSettings } from "./tls-settings.ts";

export interface LinkListenerOptions extends HostAndPort {
  readonly keys: LinkKeys;
  /** How long a handshake may take, in ms. */
  readonly handshakeMs: number;
  /** Called with a connection of a replica that has proved its id. */
  onConnected(from: string, socket: TLSSocket): void;
  onRefused(reason: string): void;
}

export interface LinkListener {
  readonly port: number;
  /** Accepts no more connections. Those that were handed over stay open. */
  close(): void;
}

/** A listener could not begin. */
export class ListenError extends Error {
  constructor({ host, port }: HostAndPort, { code, message }: NodeJS.ErrnoException) {
    super(`cannot listen on port ${port} of ${host}: ${code === "EADDRINUSE" ? "the port is in use" : message}`);
    this.name = "ListenError";
  }
}

/** Handshakes at a time. A further connection ends the oldest: the handshake of a replica takes milliseconds, and that of a silent peer seconds. */
const maxHandshakes = 64;

/** Rejects with ListenError when the address is in use or is none of this machine. */
export async function listenForLinks(options: LinkListenerOptions): Promise<LinkListener> {
  const { host, port, keys, handshakeMs, onConnected, onRefused } = options;
  const proven = new WeakMap<TLSSocket, string>();
  const refused = new WeakSet<TLSSocket>();
  const handshakes = new Map<string, Socket>();

  function pskCallback(socket: TLSSocket, identity: string): Buffer | null {
    const peer = keys.recognise(identity);
    if ("reason" in peer) {
      refused.add(socket);
      onRefused(peer.reason);
      return null;
    }
    proven.set(socket, peer.from);
    return peer.psk;
  }

  const server = createServer({ ...tlsSettings, handshakeTimeout: handshakeMs, pskCallback }, (socket) => {
    handshakes.delete(nameOf(socket));
    const from = proven.get(socket);
    // Only a session of an earlier connection needs no key. No replica resumes one.
    if (from === undefined) return void socket.destroy();
    socket.setNoDelay().setKeepAlive(true, keepAliveMs);
    onConnected(from, socket);
  });
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.delete(name);
    const [oldest] = handshakes;
    if (oldest && handshakes.size >= maxHandshakes) {
      handshakes.delete(oldest[0]);
      oldest[1].destroy();
      onRefused(`there are more than ${maxHandshakes} handshakes at a time, and the oldest was ended`);
    }
    handshakes.set(name, socket);
    socket.once("close", () => {
      // A peer that reset it may have connected from the same port again before.
      if (handshakes.get(name) === socket) handshakes.delete(name);
    });
  });
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    if (!refused.has(socket)) onRefused(reasonOf(error, handshakeMs));
  });
  server.listen(port, host.replace(/^\[|\]$/g, ""));
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new ListenError({ host, port }, error);
  });
  server.on("error", (error) => onRefused(error.message));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of handshakes.values()) socket.destroy();
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function reasonOf({ code, message }: NodeJS.ErrnoException, handshakeMs: number): string {
  if (code === "ERR_SSL_BINDER_DOES_NOT_VERIFY") return "it has another key with the same fingerprint";
  if (code === "ERR_TLS_HANDSHAKE_TIMEOUT") return `its handshake took longer than ${handshakeMs} ms`;
  return `it does not speak TLS 1.3 with the keys of this deployment (${code ?? message})`;
}
