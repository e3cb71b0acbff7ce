// A TCP connection between two simulated processes, as the kernels of their machines know it: what is sent in one direction arrives in order,
// unless one end, its process or the network gives the connection up.
import type { Agenda } from "../world/agenda.ts";
import type { Random } from "../world/random.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";
import { type Path, Wire } from "./path.ts";

/** A process, its machine, and what its machine closes with it. */
export interface Host {
  readonly network: DirectNetwork;
  readonly process: SimulatedProcess;
  readonly machine: string;
  readonly sockets: Set<{ abandon(): void }>;
}

/** Listens at a port of its machine. */
export interface Acceptor {
  readonly host: Host;
  /** Called in the process that listens. */
  accept(end: ConnectionEnd, hello: Hello): void;
}

export interface DirectNetwork {
  readonly agenda: Agenda;
  readonly random: Random;
  path(from: string, to: string): Path;
  /** By "machine:port". */
  readonly acceptors: Map<string, Acceptor>;
  readonly connections: Set<DirectConnection>;
}

/** The first bytes of the client: which replica it is, and the proof. */
export interface Hello {
  readonly identity: string;
  readonly psk: Buffer;
}

/** "end" follows the last bytes of a direction. After "reset" or "refused" the receiver gets nothing more. */
export type Segment =
  | Buffer
  | Hello
  | { readonly alert: string }
  | "accepted"
  | "finished"
  | "end"
  | "reset"
  | "refused";

export class DirectConnection {
  readonly client: ConnectionEnd;
  readonly server: ConnectionEnd;
  /** What is sent from now on is lost, and neither end is informed. */
  isSilent = false;

  constructor(host: Host, { machine, port }: { readonly machine: string; readonly port: number }) {
    const { network } = host;
    this.client = new ConnectionEnd(this, network, [host.machine, machine], () => this.server);
    this.server = new ConnectionEnd(this, network, [machine, host.machine], () => this.client, port);
    network.connections.add(this);
    this.client.open(host);
  }

  get ends(): readonly [ConnectionEnd, ConnectionEnd] {
    return [this.client, this.server];
  }
}

export class ConnectionEnd {
  readonly connection: DirectConnection;
  readonly #network: DirectNetwork;
  readonly #wire: Wire<Segment>;
  /** Where the server of this end listens. Undefined for a client. */
  readonly #address: string | undefined;
  #host: Host | undefined;
  #isClosed = false;
  /** Called in the process with what arrives. */
  onSegment: (segment: Segment) => void = () => {};

  constructor(
    connection: DirectConnection,
    network: DirectNetwork,
    [machine, other]: readonly [string, string],
    otherEnd: () => ConnectionEnd,
    port?: number,
  ) {
    this.connection = connection;
    this.#network = network;
    this.#address = port === undefined ? undefined : `${machine}:${port}`;
    this.#wire = new Wire(network.agenda, network.path(machine, other), (segment) => otherEnd().#arrive(segment));
  }

  /** From now on it closes with this process. */
  open(host: Host): void {
    this.#host = host;
    host.sockets.add(this);
  }

  send(segment: Segment): void {
    if (!this.#isClosed) this.#pass(segment);
  }

  /** Closes at once. What was sent may still arrive, or the machine drops it. */
  abandon(): void {
    if (this.#isClosed) return;
    const isDropped = this.#network.random.chance(0.5);
    if (isDropped) this.#wire.drop();
    this.#pass(isDropped ? "reset" : "end");
    this.#close();
  }

  /** The network makes the other end believe that this one has reset the connection. */
  forgeReset(): void {
    this.#wire.drop();
    this.#wire.send("reset");
  }

  /** What this end has sent, and has not arrived, is lost. */
  loseSent(): void {
    this.#wire.drop();
  }

  #pass(segment: Segment): void {
    if (!this.connection.isSilent) this.#wire.send(segment);
  }

  #arrive(segment: Segment): void {
    if (this.#isClosed) {
      // The machine knows no such connection.
      if (segment !== "reset") this.#pass("reset");
      return;
    }
    if (!this.#host) {
      if (typeof segment === "object" && "identity" in segment) this.#accept(segment);
      return;
    }
    if (segment === "reset" || segment === "refused") this.#close();
    this.#host.process.deliver(() => this.onSegment(segment));
  }

  /** The machine accepts the connection also while its process stands still. */
  #accept(hello: Hello): void {
    const acceptor = this.#network.acceptors.get(this.#address ?? "");
    if (!acceptor?.host.process.isAlive) {
      this.#pass("refused");
      this.#close();
      return;
    }
    this.open(acceptor.host);
    acceptor.host.process.deliver(() => acceptor.accept(this, hello));
  }

  #close(): void {
    this.#isClosed = true;
    this.#host?.sockets.delete(this);
    this.#network.connections.delete(this.connection);
  }
}
