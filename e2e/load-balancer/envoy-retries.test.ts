// The documented Envoy configuration repeats every request that has not started, where the defaults of Envoy end its retries early.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findBalancer, startDocumentedBalancer } from "../processes/documented-balancers.ts";
import { callOnce, type Outcome } from "./steady-callers.ts";

/** The load balancer hashes the key of the caller, so each has its own order of the replicas. */
const callers = Array.from({ length: 60 }, (_, index) => `caller-${index}`);
const cleanups: (() => unknown)[] = [];

beforeEach(async (context) => {
  const found = await findBalancer("envoy");
  if ("reason" in found) context.skip(found.reason);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Answer = (response: ServerResponse, id: string) => unknown;

const refuse: Answer = (response) => response.writeHead(503, { "Retry-After": "1" }).end("{}");
const accept: Answer = (response, id) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { id } }));

/** Stands for a replica, whose health checks succeed. */
async function startReplica(answer: Answer): Promise<Server> {
  const http = createServer(async (request, response) => {
    if (request.method !== "POST") return response.end("ready\n");
    return answer(response, await idOf(request));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  cleanups.push(() => stop(http));
  return http;
}

async function idOf(request: IncomingMessage): Promise<string> {
  const chunks = await request.toArray();
  return JSON.parse(Buffer.concat(chunks).toString()).params.arguments.id;
}

function stop(http: Server): void {
  http.close();
  http.closeAllConnections();
}

async function startEnvoy(replicas: readonly Server[]): Promise<(caller: string) => Promise<Outcome>> {
  const balancer = await startDocumentedBalancer(
    "envoy",
    replicas.map((http) => (http.address() as AddressInfo).port),
  );
  cleanups.push(balancer.stop);
  return (caller) => callOnce(balancer.url, caller, "record", {});
}

const outcomesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ outcome, status }) => `${status} ${outcome}`);
const allOk = callers.map(() => "200 ok");

it("every request finds the one replica of three that does not answer 503", async () => {
  const call = await startEnvoy([await startReplica(refuse), await startReplica(refuse), await startReplica(accept)]);
  const outcomes: Outcome[] = [];
  for (const caller of callers) outcomes.push(await call(caller));
  expect(outcomesOf(outcomes)).toEqual(allOk);
});

it("all of many requests that get 503 at the same time are repeated", async () => {
  // Each retry lasts until all requests have arrived, so that all retries overlap.
  const held: (() => void)[] = [];
  const acceptTogether: Answer = (response, id) => {
    held.push(() => accept(response, id));
    if (held.length === callers.length) for (const release of held.splice(0)) release();
  };
  let refused = 0;
  const call = await startEnvoy([
    await startReplica((response, id) => {
      refused += 1;
      return refuse(response, id);
    }),
    await startReplica(acceptTogether),
    await startReplica(acceptTogether),
  ]);
  const calls = callers.map(async (caller) => {
    const outcome = await call(caller);
    // Releases the others where one of them was not repeated.
    if (outcome.outcome !== "ok") for (const release of held.splice(0)) release();
    return outcome;
  });
  expect(outcomesOf(await Promise.all(calls))).toEqual(allOk);
  expect(refused).toBeGreaterThan(3);
});

it("a killed replica uses up one attempt of a request, and five are left to wait for its session", async () => {
  const attempts = new Map<string, number>();
  /** Answers 503 like a replica while a session has no owner. */
  const acceptFifth: Answer = async (response, id) => {
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    if (attempt === 5) return accept(response, id);
    await sleep(200);
    return refuse(response, id);
  };
  const [killed, ...others] = [
    await startReplica(accept),
    await startReplica(acceptFifth),
    await startReplica(acceptFifth),
  ] as const;
  const call = await startEnvoy([killed, ...others]);
  stop(killed);
  expect(outcomesOf(await Promise.all(callers.map(call)))).toEqual(allOk);
});
