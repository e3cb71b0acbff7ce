// What two processes see of a direct connection whose network fails.
import { expect, it } from "vitest";
import { SimulatedProcess } from "../world/simulated-process.ts";
import { World } from "../world/world.ts";
import type { DirectConnection, Host } from "./direct-connection.ts";
import { connect, createServer, hosts } from "./simulated-tls.ts";
import type { TLSSocket } from "./tls-socket.ts";

const psk = Buffer.from("key");

function startHost(network: World, machine: string): Host {
  const process = new SimulatedProcess(machine, network.agenda, network.random, { drift: 0, skewMs: 0 });
  const host: Host = { network, process, machine, sockets: new Set() };
  hosts.set(process, host);
  return host;
}

/** Writes down what happens to a socket. Bytes are one text, in however many pieces they arrive. */
function record(socket: TLSSocket) {
  const seen = { text: "", events: [] as string[] };
  socket.on("data", (bytes: Buffer) => {
    seen.text += bytes.toString();
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => seen.events.push(code ?? "no code"));
  for (const event of ["secureConnect", "end", "close"]) socket.on(event, () => seen.events.push(event));
  return seen;
}

/** Machine "a" connects to machine "b". */
async function openPair({ key = psk }: { key?: Buffer } = {}) {
  const world = new World(1);
  const [a, b] = [startHost(world, "a"), startHost(world, "b")];
  const servers: TLSSocket[] = [];
  const refused: string[] = [];
  let client: TLSSocket | undefined;
  b.process.run(() => {
    const server = createServer({ handshakeTimeout: 1_000, pskCallback: () => psk }, (socket) => {
      servers.push(socket);
    });
    server.on("tlsClientError", ({ code }: NodeJS.ErrnoException, socket: TLSSocket) => {
      refused.push(code ?? "no code");
      socket.destroy();
    });
    server.listen(7);
  });
  a.process.run(() => {
    client = connect({ host: "b", port: 7, pskCallback: () => ({ identity: "a b", psk: key }) });
  });
  const seen = record(client as TLSSocket);
  await world.agenda.run(100);
  const [connection] = world.connections;
  return {
    world,
    a,
    b,
    client: client as TLSSocket,
    seen,
    servers,
    refused,
    connection: connection as DirectConnection,
  };
}

it("carries bytes in order and in pieces, and keeps them while the path is cut", async () => {
  const { world, client, servers } = await openPair();
  const server = record(servers[0] as TLSSocket);
  const text = "0123456789".repeat(50);
  for (let at = 0; at < text.length; at += 10) {
    world.agenda.at(200 + at, () => client.write(Buffer.from(text.slice(at, at + 10))));
  }
  world.agenda.at(300, () => world.path("a", "b").cut());
  await world.agenda.run(1_000);
  expect(server.text.length).toBeLessThan(120);
  world.path("a", "b").restore();
  await world.agenda.run(2_000);
  expect(server.text).toBe(text);
});

it("holds bytes back while a socket is paused, and while its process stands still", async () => {
  const { world, b, client, servers } = await openPair();
  const socket = servers[0] as TLSSocket;
  const server = record(socket);
  socket.pause();
  client.write(Buffer.from("one "));
  await world.agenda.run(200);
  expect(server.text).toBe("");
  b.process.freeze();
  socket.resume();
  client.write(Buffer.from("two"));
  await world.agenda.run(300);
  expect(server.text).toBe("");
  b.process.thaw();
  await world.agenda.run(400);
  expect(server.text).toBe("one two");
});

it("an orderly end closes both sockets after the last bytes", async () => {
  const { world, client, seen, servers } = await openPair();
  const server = record(servers[0] as TLSSocket);
  client.write(Buffer.from("last"));
  client.end();
  await world.agenda.run(200);
  expect(server).toEqual({ text: "last", events: ["end", "close"] });
  expect(seen.events.at(-1)).toBe("close");
  expect(world.connections.size).toBe(0);
});

it("the machine of a process that was killed ends its connections, and refuses new ones", async () => {
  const { world, a, b, client, seen } = await openPair();
  b.process.kill();
  for (const socket of [...b.sockets]) socket.abandon();
  await world.agenda.run(200);
  expect(seen.events.at(-1)).toBe("close");
  expect(client.destroyed).toBe(true);
  let second: TLSSocket | undefined;
  a.process.run(() => {
    second = connect({ host: "b", port: 7, pskCallback: () => ({ identity: "a b", psk }) });
  });
  const refused = record(second as TLSSocket);
  await world.agenda.run(300);
  expect(refused.events).toEqual(["ECONNREFUSED", "close"]);
});

it("an end that knows nothing of the reset of its connection learns of it when it sends", async () => {
  const { world, seen, servers, connection } = await openPair();
  const socket = servers[0] as TLSSocket;
  const server = record(socket);
  connection.server.forgeReset();
  await world.agenda.run(200);
  expect(seen.events).toEqual(["secureConnect", "ECONNRESET", "close"]);
  expect(server.events).toEqual([]);
  socket.write(Buffer.from("text"));
  await world.agenda.run(300);
  expect(server.events).toEqual(["ECONNRESET", "close"]);
});

it("a handshake with another key is refused at both ends", async () => {
  const { seen, servers, refused } = await openPair({ key: Buffer.from("other") });
  expect(servers).toEqual([]);
  expect(refused).toEqual(["ERR_SSL_BINDER_DOES_NOT_VERIFY"]);
  expect(seen.events.at(-1)).toBe("close");
});
