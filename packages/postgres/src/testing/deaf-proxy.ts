// A proxy in front of PostgreSQL that drops notifications, as a pooler does that gives each transaction another connection.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface DeafProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** The type of the message of a notification. */
const notification = "A".charCodeAt(0);

export async function openDeafProxy(target: number): Promise<DeafProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(target, "127.0.0.1");
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        database.destroy();
      });
    }
    client.pipe(database);
    let rest: Buffer = Buffer.alloc(0);
    database.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 5) {
        const length = 1 + rest.readUInt32BE(1);
        if (rest.length < length) return;
        if (rest[0] !== notification) client.write(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
