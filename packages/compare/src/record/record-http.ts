// A recording HTTP proxy on the loopback interface. Bytes pass unchanged except in two places: `Host` names the server, and an
// absolute endpoint URL of an HTTP+SSE server points to the proxy.

import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createEndpointFilter } from "./endpoint-filter.ts";
import { type ConnectionLog, ExchangeLog, type ExchangeLogOptions, type Wire } from "./exchange-log.ts";
import { type Head, HttpFormatError, type HttpParser } from "./http-parser.ts";
import type { HttpExchange } from "./recording.ts";

/** Options of `recordHttp`. The proxy listens on 127.0.0.1. */
export interface RecordHttpOptions extends Omit<ExchangeLogOptions, "onLoss"> {
  /** The server. Only its origin is used: request paths pass unchanged. */
  to: URL;
  /** The port to listen on. Default 0: any free port. */
  port?: number;
  /** Called once for each remark that a reader of the recording should see. */
  onRemark?(remark: string): void;
  /** Concurrent connections. The proxy refuses further ones. Default 256. */
  maxConnections?: number;
}

const knownRecordHttpOptions: KnownOptions<RecordHttpOptions> = {
  to: "an object",
  port: true,
  onRemark: true,
  maxConnections: true,
  now: "a function",
  maxBodyBytes: true,
  maxKeptBytes: true,
  maxExchanges: true,
  onResponse: true,
};

/** A recording proxy between an HTTP client and a server. */
export interface HttpRecorder {
  /** The origin that the client uses instead of the server's. */
  readonly origin: string;
  readonly exchanges: readonly HttpExchange[];
  readonly remarks: readonly string[];
  /** The reason of the last failed connection to the server. */
  readonly unreachable: string | undefined;
  /** Closes the proxy after a grace period of 250 ms for data in transit. */
  close(): Promise<void>;
}

/** Rejects if the proxy cannot listen on the port. */
export async function recordHttp(options: RecordHttpOptions): Promise<HttpRecorder> {
  checkOptions("recordHttp", options, knownRecordHttpOptions);
  const proxy = new RecordingProxy(options);
  await proxy.listen(options.port ?? 0);
  return proxy;
}

const closeGraceMs = 250;
const endpointRewritten =
  "the server sent an absolute endpoint URL; the client received the recorder's origin instead, and the rest unchanged";

class RecordingProxy implements HttpRecorder {
  origin = "";
  unreachable: string | undefined;
  readonly #options: RecordHttpOptions;
  readonly #log: ExchangeLog;
  readonly #server: Server;
  readonly #remarks: Set<string> = new Set();
  readonly #sockets: Set<Socket> = new Set();
  readonly #connections: Set<ConnectionLog> = new Set();

  constructor(options: RecordHttpOptions) {
    this.#options = options;
    this.#log = new ExchangeLog({ ...options, onLoss: (reason) => this.#remark(reason) });
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#accept(client));
    this.#server.maxConnections = options.maxConnections ?? 256;
  }

  get exchanges(): readonly HttpExchange[] {
    return this.#log.exchanges;
  }

  get remarks(): readonly string[] {
    return [...this.#remarks];
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    const listening = typeof address === "object" && address !== null ? address.port : port;
    this.origin = `http://127.0.0.1:${listening}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Data that the client sent before it closed may still be in transit.
    const grace = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, closeGraceMs);
    await closed;
    clearTimeout(grace);
    for (const connection of this.#connections) connection.cut();
  }

  #remark(text: string): void {
    if (!this.#remarks.has(text)) this.#options.onRemark?.(text);
    this.#remarks.add(text);
  }

  #accept(client: Socket): void {
    const upstream = openUpstream(this.#options.to);
    const wire = this.#createWire(client, upstream);
    const connection = this.#log.connection(wire);
    this.#connections.add(connection);
    const end = (): void => this.#end(connection, [client, upstream]);
    upstream.on("error", (error) => {
      this.unreachable = `the server could not be reached: ${toReason(error)}`;
      this.#remark(this.unreachable);
    });
    client.on("error", () => {});
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("close", end);
    }
    const { fromClient, fromServer } = connection;
    client.on("data", this.#read(fromClient, { send: (raw) => wire.toServer(raw), what: "a request" }));
    upstream.on(
      "data",
      this.#read(fromServer, {
        send: (raw) => wire.toClient(raw),
        what: "a response",
        onUnreadable: () => connection.release(),
      }),
    );
    client.on("end", () => upstream.end());
    upstream.on("end", () => client.end());
  }

  #createWire(client: Socket, upstream: Socket): Wire {
    const { to } = this.#options;
    const onChange = (): void => this.#remark(endpointRewritten);
    return {
      toServer: (raw, head) => forward(head ? withHost(raw, head, to.host) : raw, upstream, client),
      toClient: (raw) => forward(raw, client, upstream),
      filterOf: (headers) => createEndpointFilter({ server: to, recorder: this.origin, headers, onChange }),
    };
  }

  #end(connection: ConnectionLog, sockets: readonly Socket[]): void {
    connection.cut();
    this.#connections.delete(connection);
    for (const socket of sockets) {
      this.#sockets.delete(socket);
      socket.destroySoon();
    }
  }

  /** Bytes that are not HTTP/1.1 still pass. Only the recording of that direction ends. */
  #read(parser: HttpParser, { send, what, onUnreadable }: ReadOptions): (chunk: Buffer) => void {
    let isReadable = true;
    return (chunk) => {
      if (!isReadable) return send(chunk);
      try {
        parser.push(chunk);
      } catch (error) {
        if (!(error instanceof HttpFormatError)) throw error;
        isReadable = false;
        this.#remark(`${what} could not be read: ${error.message}`);
        onUnreadable?.();
        send(error.rest);
      }
    };
  }
}

interface ReadOptions {
  send(raw: Uint8Array): void;
  /** The subject of the remark: "a request". */
  readonly what: string;
  onUnreadable?(): void;
}

function openUpstream(to: URL): Socket {
  const isTls = to.protocol === "https:";
  const host = to.hostname.replace(/^\[|\]$/g, "");
  const port = Number(to.port || (isTls ? 443 : 80));
  if (!isTls) return connectTcp({ host, port, noDelay: true, allowHalfOpen: true });
  return connectTls({ host, port, servername: host, ALPNProtocols: ["http/1.1"] });
}

/** For a host name with several addresses, Node.js raises an AggregateError without a message of its own. */
function toReason(error: NodeJS.ErrnoException): string {
  const message = error.message || (error instanceof AggregateError ? String(error.errors[0]?.message) : error.name);
  return untrustedCertificate.test(error.code ?? "")
    ? `${message}; NODE_EXTRA_CA_CERTS names a file of certificates to trust`
    : message;
}

const untrustedCertificate = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** Stops reading from one side while the other side is not ready to receive. */
function forward(raw: Uint8Array, to: Socket, from: Socket): void {
  if (to.writable && !to.write(raw) && !from.isPaused()) {
    from.pause();
    to.once("drain", () => from.resume());
  }
}

/** Servers that check `Host` (virtual hosts, DNS rebinding protection) expect their own name. */
function withHost(raw: Uint8Array, { headers }: Head, host: string): Uint8Array {
  if (!headers.some(([name]) => name.toLowerCase() === "host")) return raw;
  const text = Buffer.from(raw).toString("latin1");
  return Buffer.from(text.replace(/\r\nhost:[^\r\n]*/i, `\r\nHost: ${host}`), "latin1");
}
