// A recording proxy on loopback: what either side sends reaches the other byte for byte, except that Host names the server, and
// that an endpoint which an HTTP+SSE server names by the server's whole address leads through the proxy.
import { connect as connectTcp, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createEndpointFilter } from "./endpoint-filter.ts";
import { createExchangeLog, type Wire } from "./exchange-log.ts";
import { type Head, HttpFormatError, type HttpParser } from "./http-parser.ts";
import type { HttpExchange } from "./recording.ts";

export interface RecordHttpOptions {
  /** Where the server is. Its path does not matter: paths cross as they are. */
  to: URL;
  /** Default 0: any free one. */
  port?: number;
  /** Milliseconds since the recording began. */
  now(): number;
  /** Of one body, or one event of a stream. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Of all bodies and events together. Default 256 MiB. */
  maxKeptBytes?: number;
  /** Default 10,000; the traffic goes on without record. */
  maxExchanges?: number;
  /** Hears of each answer when its head has come. */
  onAnswer?(exchange: HttpExchange): void;
  /** Hears of everything that a reader of the recording should know, once. */
  onRemark?(what: string): void;
  /** Connections at a time; more are refused. Default 256. */
  maxConnections?: number;
}

export interface HttpRecorder {
  /** The origin to use in place of the server's. */
  readonly origin: string;
  readonly exchanges: readonly HttpExchange[];
  readonly remarks: readonly string[];
  /** Why the server could not be reached, the last time that it could not. */
  readonly unreachable: string | undefined;
  close(): Promise<void>;
}

const closeGraceMs = 250;
const changed =
  "the server names its endpoint by its whole address; the client was given the recorder's in place of it, and all else as it was";

/** Rejects when the port cannot be had. */
export async function recordHttp(options: RecordHttpOptions): Promise<HttpRecorder> {
  const { to, port = 0, maxConnections = 256 } = options;
  const remarks = new Set<string>();
  const remark = (what: string): void => {
    if (!remarks.has(what)) options.onRemark?.(what);
    remarks.add(what);
  };
  const log = createExchangeLog({ ...options, onLoss: remark });
  let unreachable: string | undefined;
  const sockets = new Set<Socket>();
  const cuts = new Set<() => void>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => join(client));
  server.maxConnections = maxConnections;

  function join(client: Socket): void {
    const upstream = openUpstream(to);
    const wire: Wire = {
      toServer: (raw, head) => pass(head ? withHost(raw, head, to.host) : raw, upstream, client),
      toClient: (raw) => pass(raw, client, upstream),
      filterOf: (headers) =>
        createEndpointFilter({ server: to, recorder: origin, headers, onChange: () => remark(changed) }),
    };
    const connection = log.connection(wire);
    cuts.add(connection.cut);
    const end = (): void => {
      connection.cut();
      cuts.delete(connection.cut);
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroySoon();
      }
    };
    upstream.on("error", (error) => {
      unreachable = `the server could not be reached: ${toReason(error)}`;
      remark(unreachable);
    });
    client.on("error", () => {});
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", end);
    }
    client.on(
      "data",
      readWith(connection.fromClient, (raw) => wire.toServer(raw), "a request"),
    );
    upstream.on(
      "data",
      readWith(connection.fromServer, (raw) => wire.toClient(raw), "a response", connection.release),
    );
    client.on("end", () => upstream.end());
    upstream.on("end", () => client.end());
  }

  /** What is not HTTP/1.1 still passes; only the record ends. */
  function readWith(
    parser: HttpParser,
    send: (raw: Uint8Array) => void,
    what: string,
    onUnreadable: () => void = () => {},
  ): (chunk: Buffer) => void {
    let isReadable = true;
    return (chunk) => {
      if (!isReadable) return send(chunk);
      try {
        parser.push(chunk);
      } catch (error) {
        if (!(error instanceof HttpFormatError)) throw error;
        isReadable = false;
        remark(`${what} could not be read: ${error.message}`);
        onUnreadable();
        send(error.rest);
      }
    };
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const listening = typeof address === "object" && address !== null ? address.port : port;
  const origin = `http://127.0.0.1:${listening}`;
  return {
    origin,
    exchanges: log.exchanges,
    get remarks() {
      return [...remarks];
    },
    get unreachable() {
      return unreachable;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Data that the client sent before it closed may still be in transit; wait for it.
      const grace = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, closeGraceMs);
      await closed;
      clearTimeout(grace);
      for (const cut of cuts) cut();
    },
  };
}

function openUpstream(to: URL): Socket {
  const isTls = to.protocol === "https:";
  const host = to.hostname.replace(/^\[|\]$/g, "");
  const port = Number(to.port || (isTls ? 443 : 80));
  if (!isTls) return connectTcp({ host, port, noDelay: true, allowHalfOpen: true });
  return connectTls({ host, port, servername: host, ALPNProtocols: ["http/1.1"] });
}

/** Where a name has several addresses, the error is of all of them and has no message of its own. */
function toReason(error: NodeJS.ErrnoException): string {
  const said = error.message || (error instanceof AggregateError ? String(error.errors[0]?.message) : error.name);
  return isUntrusted.test(error.code ?? "")
    ? `${said}; NODE_EXTRA_CA_CERTS names a file of certificates to trust`
    : said;
}

/** Nobody vouches for the certificate. */
const isUntrusted = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** While one side does not read, nothing more is read from the other. */
function pass(raw: Uint8Array, to: Socket, from: Socket): void {
  if (to.writable && !to.write(raw) && !from.isPaused()) {
    from.pause();
    to.once("drain", () => from.resume());
  }
}

/** A server that guards against DNS rebinding, or serves several names, wants to read its own. */
function withHost(raw: Uint8Array, { headers }: Head, host: string): Uint8Array {
  if (!headers.some(([name]) => name.toLowerCase() === "host")) return raw;
  const text = Buffer.from(raw).toString("latin1");
  return Buffer.from(text.replace(/\r\nhost:[^\r\n]*/i, `\r\nHost: ${host}`), "latin1");
}
