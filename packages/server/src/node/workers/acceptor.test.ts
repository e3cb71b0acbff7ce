import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Acceptor } from "./acceptor.ts";
import type { ConnectionMessage, GivenMessage, MovedMessage } from "./listening.ts";

/** Emits "given" for each connection, which it never takes, and "asked" for the question whether connections came. */
class Standing extends EventEmitter {
  send(message: ConnectionMessage | GivenMessage, socket?: Socket): boolean {
    this.emit(message.lethe === "given" ? "asked" : "given", message, socket);
    return true;
  }
}

it("a connection that a worker has not taken goes to another one, also when the worker ends without a disconnect", async () => {
  const acceptor = new Acceptor();
  const [dead, alive] = [new Standing(), new Standing()];
  const at = { host: "127.0.0.1", port: 0 };
  acceptor.join(1, dead as unknown as ChildProcess);
  const listening = await acceptor.listen(1, at);
  if (!("port" in listening)) throw new Error(listening.problem);
  const given = once(dead, "given");
  const socket = connect(listening.port, at.host);
  await given;

  const givenAgain = once(alive, "given");
  acceptor.left(1);
  acceptor.join(2, alive as unknown as ChildProcess);
  await acceptor.listen(2, at);
  expect((await givenAgain)[0]).toMatchObject({ lethe: "connection" });

  const closed = once(socket, "close");
  acceptor.close();
  acceptor.left(2);
  await closed;
});

it("closes connections that did not reach their worker, which then gets further ones", async () => {
  const acceptor = new Acceptor({ maxUntaken: 2 });
  const worker = new Standing();
  const at = { host: "127.0.0.1", port: 0 };
  acceptor.join(1, worker as unknown as ChildProcess);
  const listening = await acceptor.listen(1, at);
  if (!("port" in listening)) throw new Error(listening.problem);
  const given: ConnectionMessage[] = [];
  const asked: GivenMessage[] = [];
  worker.on("given", (message: ConnectionMessage) => given.push(message));
  worker.on("asked", (message: GivenMessage) => asked.push(message));
  const clients = [1, 2, 3].map(() => connect(listening.port, at.host).on("error", () => {}));
  const closed = clients.slice(0, 2).map((client) => once(client, "close"));
  await vi.waitFor(() =>
    expect(asked.at(-1)).toEqual({ lethe: "given", id: given[1]?.id, address: listening.address }),
  );
  expect(given).toHaveLength(2);
  worker.emit("message", { lethe: "taken", id: given[1]?.id, isTaken: false, isLost: true });
  await Promise.all(closed);
  await vi.waitFor(() => expect(given).toHaveLength(3));
  acceptor.close();
  acceptor.left(1);
});

describe("a connection that a worker gives to another one", () => {
  const at = { host: "127.0.0.1", port: 0 };
  let sources: Server[] = [];
  let clients: Socket[] = [];

  afterEach(() => {
    for (const client of clients) client.destroy();
    for (const source of sources) source.close();
    [sources, clients] = [[], []];
  });

  interface Given {
    readonly to: number;
    readonly message: ConnectionMessage;
    readonly socket: Socket;
  }

  /** `given` has what the workers were given, in order. They take what `takes` says. Default: all. */
  async function start(takes: (to: number, message: ConnectionMessage) => boolean | "lost" | undefined = () => true) {
    const acceptor = new Acceptor({ maxWaiting: 2 });
    const given: Given[] = [];
    const workers = new Map<number, Standing>();
    let address = "";
    for (const number of [1, 2, 3]) {
      const worker = new Standing();
      workers.set(number, worker);
      worker.on("given", (message: ConnectionMessage, socket: Socket) => {
        given.push({ to: number, message, socket });
        const answer = takes(number, message);
        if (answer === undefined) return;
        const outcome = { isTaken: answer === true, isLost: answer === "lost" };
        worker.emit("message", { lethe: "taken", id: message.id, ...outcome });
      });
      acceptor.join(number, worker as unknown as ChildProcess);
      const listening = await acceptor.listen(number, at);
      if (!("port" in listening)) throw new Error(listening.problem);
      address = listening.address;
    }
    const move = (from: number, socket: Socket, message: Partial<MovedMessage>): void => {
      workers.get(from)?.emit("message", { lethe: "moved", address, to: 2, moves: 1, ...message }, socket);
    };
    return { acceptor, given, move, address };
  }

  /** Two ends of a connection: that of the client, and the one that a worker would send. */
  async function connection(): Promise<[client: Socket, sent: Socket]> {
    const source = createServer().listen(0, "127.0.0.1");
    sources.push(source);
    await once(source, "listening");
    const accepted = once(source, "connection");
    const client = connect((source.address() as AddressInfo).port, "127.0.0.1");
    clients.push(client);
    const [sent] = (await accepted) as [Socket];
    return [client, sent];
  }

  const outcomes = (given: readonly Given[]) =>
    given.map(({ to, message: { moves, isReturned } }) => ({ to, moves, isReturned }));

  it("goes to that worker, and not to the next one in turn", async () => {
    const { acceptor, given, move } = await start();
    for (const to of [2, 2, 3]) {
      const [, sent] = await connection();
      move(1, sent, { to, moves: 4 });
    }
    expect(outcomes(given)).toEqual([2, 2, 3].map((to) => ({ to, moves: 4, isReturned: false })));
    acceptor.close();
  });

  it("is not read by the parent", async () => {
    const { acceptor, given, move } = await start(() => undefined);
    const [client, sent] = await connection();
    // As Node does with a socket that another process sends.
    sent.resume();
    sent.pause();
    move(1, sent, {});
    await new Promise<void>((resolve) => client.write("GET / HTTP/1.1\r\n", () => resolve()));
    // A connection whose bytes were sent later is read before: those of the first have arrived, too.
    const [other, heard] = await connection();
    const read = once(heard, "data");
    other.write("x");
    await read;
    expect(given[0]?.socket).toBe(sent);
    expect(sent.bytesRead).toBe(0);
    acceptor.close();
    acceptor.left(1);
    acceptor.left(2);
    acceptor.left(3);
  });

  it.each([
    ["is full", false],
    ["does not get it", "lost"],
  ] as const)("returns to the worker that had it, which must take it, when the other one %s", async (_, answer) => {
    const { acceptor, given, move } = await start((to) => to === 1 || answer);
    const [, sent] = await connection();
    move(1, sent, { to: 3, moves: 1 });
    expect(outcomes(given)).toEqual([
      { to: 3, moves: 1, isReturned: false },
      { to: 1, moves: 1, isReturned: true },
    ]);
    acceptor.close();
  });

  it("goes to the next worker when both have ended meanwhile", async () => {
    const { acceptor, given, move } = await start((to) => (to === 2 ? true : undefined));
    const [, sent] = await connection();
    move(1, sent, { to: 3 });
    acceptor.left(1);
    acceptor.left(3);
    expect(given.map(({ to }) => to)).toEqual([3, 2]);
    acceptor.close();
  });

  it("goes to the next worker when the other one takes no connections any more", async () => {
    const { acceptor, given, move, address } = await start();
    acceptor.stop(3, address);
    const [, sent] = await connection();
    move(1, sent, { to: 3 });
    expect(given.map(({ to }) => to)).toEqual([1]);
    acceptor.close();
  });

  it("closes when no worker listens at its address any more, or too many wait", async () => {
    const { acceptor, given, move, address } = await start();
    for (const number of [1, 2, 3]) acceptor.stop(number, address);
    const sockets: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      const [, sent] = await connection();
      sockets.push(sent);
      move(1, sent, {});
    }
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
    acceptor.close();
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
    const [, late] = await connection();
    move(1, late, {});
    expect(late.destroyed).toBe(true);
    expect(given).toEqual([]);
  });
});
