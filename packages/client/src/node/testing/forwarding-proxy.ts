// An HTTP proxy on this machine, which reaches servers by names that only it knows.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ForwardingProxy {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** The first lines of its requests, without the version. */
  readonly seen: string[];
  /** The headers of its requests. */
  readonly headers: IncomingHttpHeaders[];
  /** Connections that are open. */
  sockets(): Promise<number>;
  close(): void;
}

export interface ForwardingProxyOptions {
  /** The ports on this machine, by the host and port that requests name. Others are answered with 403. */
  readonly servers?: Readonly<Record<string, number>>;
  /** Replaces the answer to CONNECT. */
  onConnect?(socket: Socket): void;
}

export async function startForwardingProxy({
  servers = {},
  onConnect,
}: ForwardingProxyOptions): Promise<ForwardingProxy> {
  const seen: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const tunnels = new Set<Socket>();
  const proxy = createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url}`);
    headers.push(asked.headers);
    const url = new URL(asked.url ?? "");
    const { method, headers: sent } = asked;
    const passed = request({ host: "127.0.0.1", port: servers[url.host], path: url.pathname, method, headers: sent });
    passed.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
    });
    asked.pipe(passed);
  });
  proxy.on("connect", (asked, socket: Socket) => {
    seen.push(`CONNECT ${asked.url}`);
    headers.push(asked.headers);
    tunnels.add(socket);
    socket.on("close", () => tunnels.delete(socket)).on("error", () => {});
    const port = servers[asked.url ?? ""];
    if (onConnect) return onConnect(socket);
    if (port === undefined) return socket.end("HTTP/1.1 403 Filtered\r\n\r\n");
    const server = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.pipe(socket).pipe(server);
    });
    server.on("error", () => socket.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    headers,
    sockets: () => new Promise((resolve) => proxy.getConnections((_, count) => resolve(count))),
    close() {
      for (const socket of tunnels) socket.destroy();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
