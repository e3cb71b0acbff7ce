// A kept-alive connection moves to the worker that owns the sessions of its caller. Its client notices nothing.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type KeptConnection, openKeptConnection } from "./kept-connection.ts";
import { startWorkerGateway, type WorkerGateway } from "./worker-gateway.ts";

const callers = ["ann", "bob", "cid", "dee"];
const forwardedMetric = "lethe_requests_forwarded_total";

let gateway: WorkerGateway;
let connections: KeptConnection[];

beforeEach(async () => {
  gateway = await startWorkerGateway(callers);
  connections = [];
});

afterEach(async () => {
  for (const connection of connections) connection.close();
  await gateway.close();
});

function open(): KeptConnection {
  const connection = openKeptConnection(gateway.url);
  connections.push(connection);
  return connection;
}

const callerAt = (index: number): string => callers[index % callers.length] as string;

/** How many calls were forwarded meanwhile. To read the metrics of both workers, one asks the other, which counts as well. */
async function forwardedBy(act: () => Promise<unknown>): Promise<number> {
  const counts = [await gateway.metric(forwardedMetric), await gateway.metric(forwardedMetric)] as const;
  await act();
  return (await gateway.metric(forwardedMetric)) - counts[1] - (counts[1] - counts[0]);
}

async function keptOf(caller: string): Promise<string[]> {
  const { structuredContent } = await open().call(caller, "keeper__recall");
  return (structuredContent as { kept: string[] }).kept;
}

it("stops forwarding the calls of a connection that carries one caller, and keeps the connection and the session", async () => {
  // Three connections of each caller: at least one is at another worker than its session.
  const own = Array.from({ length: 3 * callers.length }, (_, index) => ({
    caller: callerAt(Math.floor(index / 3)),
    connection: open(),
  }));
  const round = () =>
    Promise.all(own.map(({ caller, connection }) => connection.call(caller, "keeper__remember", { text: caller })));
  expect(await forwardedBy(round)).toBeGreaterThan(0);
  let rounds = 1;
  // A connection that cannot move now moves after a later request.
  while ((await forwardedBy(round)) > 0) {
    rounds += 1;
    expect(rounds).toBeLessThan(100);
  }
  const more = 20;
  const rest = async () => {
    for (let done = 0; done < more; done += 1) await round();
  };
  expect(await forwardedBy(rest)).toBe(0);
  expect(own.map(({ connection }) => connection.opened)).toEqual(own.map(() => 1));
  for (const caller of callers) expect(await keptOf(caller)).toEqual(Array(3 * (rounds + 1 + more)).fill(caller));
});

it("loses and repeats no call while connections move under load", async () => {
  // Each connection carries several calls of one caller, then of the next one, so that it moves several times.
  const runs = [3, 10, 3, 40];
  const sent = new Map<string, string[]>(callers.map((caller) => [caller, []]));
  const drive = async (index: number): Promise<void> => {
    const connection = open();
    for (const [turn, length] of runs.entries()) {
      const caller = callerAt(index + turn);
      for (let call = 0; call < length; call += 1) {
        const text = `${index} ${turn} ${call}`;
        sent.get(caller)?.push(text);
        await connection.call(caller, "keeper__remember", { text });
      }
    }
    expect(connection.opened).toBe(1);
  };
  const forwarded = await forwardedBy(() => Promise.all(Array.from({ length: 12 }, (_, index) => drive(index))));
  expect(forwarded).toBeGreaterThan(0);
  for (const caller of callers) expect((await keptOf(caller)).sort()).toEqual(sent.get(caller)?.sort());
});
