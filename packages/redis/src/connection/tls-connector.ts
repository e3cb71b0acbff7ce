// Opens the TLS connections of the driver. If a server answers a refused certificate with an alert, Node emits another error on the socket
// after it was destroyed. The driver listens for the first error only, so the second would end the process.
import { connect, type TLSSocket } from "node:tls";
import { AbstractConnector, type Redis, type RedisOptions, SentinelConnector } from "ioredis";

type SentinelOptions = ConstructorParameters<typeof SentinelConnector>[0];
type Stream = Awaited<ReturnType<SentinelConnector["connect"]>>;

const ignore = (): void => {};
const closed = "Connection is closed.";
const defaultDisconnectMs = 2_000;

/** For one server, and for each node of a Cluster. */
export class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(options: unknown) {
    const known = options as RedisOptions;
    super(known.disconnectTimeout ?? defaultDisconnectMs);
    this.#options = known;
  }

  override async connect(): Promise<TLSSocket> {
    const { host, port, family, tls } = this.#options;
    this.connecting = true;
    // The driver expects the stream in a later turn.
    await Promise.resolve();
    if (!this.connecting) throw new Error(closed);
    const stream = connect({
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(family !== undefined && { family }),
      ...tls,
    });
    stream.on("error", ignore).once("error", (error) => {
      this.firstError = error;
    });
    this.stream = stream;
    return stream;
  }
}

/** For the primary that Sentinels name, and for the Sentinels. */
export class TlsSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelOptions);
    // The driver has no option for the connectors of its connections to Sentinels.
    const open = Reflect.get(this, "connectToSentinel") as (address: object, options?: RedisOptions) => Redis;
    Reflect.set(this, "connectToSentinel", (address: object, given?: RedisOptions) =>
      Reflect.apply(open, this, [address, { ...given, Connector: TlsConnector }]),
    );
  }

  override async connect(...given: Parameters<SentinelConnector["connect"]>): Promise<Stream> {
    const stream = await super.connect(...given);
    stream.on("error", ignore);
    return stream;
  }
}
