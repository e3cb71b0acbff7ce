// Takes the place of node:tls in the direct connections of replicas: the same handshake by a pre-shared key, events and errors, over a
// simulated network. Bytes are not encrypted.
import { EventEmitter } from "node:events";
import { SimulatedProcess } from "../world/simulated-process.ts";
import { type Acceptor, type ConnectionEnd, DirectConnection, type Hello, type Host } from "./direct-connection.ts";
import { failure, TLSSocket } from "./tls-socket.ts";

/** The machine of each process. */
export const hosts: WeakMap<SimulatedProcess, Host> = new WeakMap();

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  pskCallback(): Hello;
}

export interface ServerOptions {
  readonly handshakeTimeout: number;
  pskCallback(socket: TLSSocket, identity: string): Buffer | null;
}

class Server extends EventEmitter implements Acceptor {
  readonly host: Host;
  readonly #options: ServerOptions;
  #port = 0;
  #isClosed = false;

  constructor(host: Host, options: ServerOptions) {
    super();
    this.host = host;
    this.#options = options;
  }

  listen(port: number): void {
    const { network, process, machine } = this.host;
    this.#port = port;
    network.acceptors.set(`${machine}:${port}`, this);
    network.agenda.after(0, () => process.deliver(() => this.emit("listening")));
  }

  address(): { readonly port: number } {
    return { port: this.#port };
  }

  close(): void {
    const { network, machine } = this.host;
    this.#isClosed = true;
    network.acceptors.delete(`${machine}:${this.#port}`);
  }

  accept(end: ConnectionEnd, { identity, psk }: Hello): void {
    const { handshakeTimeout, pskCallback } = this.#options;
    const socket = new TLSSocket(this.host, end);
    if (this.#isClosed) return void socket.destroy();
    this.emit("connection", socket);
    const fail = (error: Error): void => void this.emit("tlsClientError", error, socket);
    const late = failure("ERR_TLS_HANDSHAKE_TIMEOUT");
    const cancel = this.host.process.clock.after(handshakeTimeout, () => fail(late));
    socket.once("close", cancel).on("error", fail);
    socket.once("finished", () => {
      cancel();
      socket.off("error", fail);
      this.emit("secureConnection", socket);
    });
    const expected = pskCallback(socket, identity);
    if (expected?.equals(psk)) socket.send("accepted");
    else {
      socket.send({ alert: `ERR_SSL_SSLV3_ALERT_${expected ? "ILLEGAL_PARAMETER" : "HANDSHAKE_FAILURE"}` });
      fail(failure("ERR_SSL_BINDER_DOES_NOT_VERIFY"));
    }
  }
}

export function connect({ host: machine, port, pskCallback }: ConnectOptions): TLSSocket {
  const host = currentHost();
  const { client } = new DirectConnection(host, { machine, port });
  const socket = new TLSSocket(host, client);
  socket.send(pskCallback());
  return socket;
}

export function createServer(options: ServerOptions, onSecure: (socket: TLSSocket) => void): Server {
  return new Server(currentHost(), options).on("secureConnection", onSecure);
}

function currentHost(): Host {
  const host = SimulatedProcess.current && hosts.get(SimulatedProcess.current);
  if (!host) throw new Error("a direct connection was made outside of a simulated process");
  return host;
}
