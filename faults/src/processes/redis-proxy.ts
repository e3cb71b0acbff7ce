// A TCP proxy in front of Redis: one address whose server changes, or a network that stops delivering.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

interface Link {
  readonly near: Socket;
  far: Socket | undefined;
}

export class RedisProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #port: number;
  #isHole = false;
  #isRefusing = false;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((near) => this.#accept(near));
  }

  /** `port`: where Redis listens. */
  static async open(port: number): Promise<RedisProxy> {
    const proxy = new RedisProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** A black hole: connections stay open and deliver nothing, in both directions. New connections get no reply. */
  cut(): void {
    this.#isHole = true;
    for (const { near, far } of this.#links) {
      near.pause();
      far?.pause();
    }
  }

  /** Delivers again, also what was sent during the cut. */
  mend(): void {
    this.#isHole = false;
    for (const link of this.#links) {
      if (link.near.destroyed || link.far?.destroyed) this.#end(link);
      else if (link.far) {
        link.near.resume();
        link.far.resume();
      } else this.#join(link);
    }
  }

  /** Closes all connections and new ones until `pointTo`. */
  refuse(): void {
    this.#isRefusing = true;
    for (const link of this.#links) this.#end(link);
  }

  pointTo(port: number): void {
    this.#port = port;
    this.#isRefusing = false;
  }

  async close(): Promise<void> {
    for (const link of this.#links) this.#end(link);
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(near: Socket): void {
    if (this.#isRefusing) return void near.destroy();
    const link: Link = { near, far: undefined };
    this.#links.add(link);
    this.#watch(link, near);
    if (this.#isHole) near.pause();
    else this.#join(link);
  }

  #join(link: Link): void {
    const far = connect(this.#port, "127.0.0.1");
    link.far = far;
    this.#watch(link, far);
    link.near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => link.near.write(bytes));
  }

  /** During a cut the other side does not hear of a closed connection. */
  #watch(link: Link, socket: Socket): void {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => {
      if (!this.#isHole) this.#end(link);
    });
  }

  #end(link: Link): void {
    this.#links.delete(link);
    link.near.destroy();
    link.far?.destroy();
  }
}
