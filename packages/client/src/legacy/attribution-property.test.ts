// Random interleavings of calls, requests of the server, answers, cancellations and the end of the process (D-23, D-51). The
// server does what real ones do: it asks without saying for which call, continues cancelled calls, and answers some of
// them. Nothing of one user ever reaches another.
import {
  isInputRequired,
  isJsonObject,
  isRequest,
  isResponse,
  type JsonObject,
  metaKey,
  type RequestId,
} from "@lethe/protocol";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  createFakeExchange,
  createFakeLegacyServer,
  everyCapability,
  type FakeExchange,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

interface Made {
  /** Who may see what the call is asked: its conversation, else the call itself. */
  readonly user: string;
  readonly marker: string;
  readonly name: string;
  exchange: FakeExchange;
  requestState: string | undefined;
  keys: string[];
  isSettled: boolean;
}

const conversation = fc.option(fc.constantFrom("one", "two"), { nil: undefined });
const index = fc.nat(7);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("call"), conversation, isQuiet: fc.boolean(), tool: fc.nat(2) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("ask"), index, hasOrigin: fc.nat(9).map((n) => n === 0) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("finish"), index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("answer"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(1, 2_000, 10_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function createRun(options: Partial<LegacyOptions>) {
  // What is stated is true here.
  const mayAsk = options.elicits ?? (() => true);
  const server = createFakeLegacyServer({ tools: {}, logging: {} }, { "logging/setLevel": () => ({}) });
  const made: Made[] = [];
  const byMarker = (marker: unknown) => made.find((call) => call.marker === marker) as Made;
  const userOf = (marker: unknown) => byMarker(marker).user;
  /** What the server works on, cancelled or not, by the marker of the call. */
  const working = new Map<string, RequestId>();
  const asks = new Map<RequestId, string>();
  const answered = new Map<RequestId, number>();
  let seen = 0;
  let lastAsk = 0;
  let delivered = 0;
  const misled: string[] = [];

  function read(): void {
    for (const message of server.received.slice(seen)) {
      if (isRequest(message) && message.method === "tools/call") {
        const given = message.params?.arguments;
        working.set(String(isJsonObject(given) && given.marker), message.id);
      } else if (isResponse(message) && asks.has(message.id as RequestId)) {
        const id = message.id as RequestId;
        answered.set(id, (answered.get(id) ?? 0) + 1);
        if (!("result" in message)) continue;
        const { name } = message.result.content as JsonObject;
        expect(userOf(name), "an answer reaches a call of its own user").toBe(userOf(asks.get(id)));
      }
    }
    expect(misled, "a question reaches its user").toEqual([]);
    seen = server.received.length;
    for (const count of answered.values()) expect(count, "a request is answered once").toBe(1);
    for (const { exchange, user } of made) {
      for (const { params } of exchange.notes)
        expect(userOf(params?.data), "a log message reaches its user").toBe(user);
    }
  }

  const connecting = connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });

  async function round(call: Made, params: JsonObject, isQuiet: boolean): Promise<void> {
    const connection = await connecting;
    call.requestState = undefined;
    const capabilities = isQuiet ? {} : everyCapability;
    const meta = { [metaKey.clientCapabilities]: capabilities, [metaKey.logLevel]: "info" };
    const request = modernRequest("tools/call", { name: call.name, ...params }, meta);
    try {
      const result = await connection.dispatch(request, call.exchange);
      if (!isInputRequired(result)) {
        call.isSettled = true;
        return;
      }
      for (const { params: asked } of Object.values(result.inputRequests ?? {})) {
        const { message } = asked as JsonObject;
        if (userOf(message) !== call.user) misled.push(`${call.marker} was asked for ${message}`);
      }
      delivered += 1;
      call.requestState = result.requestState;
      call.keys = Object.keys(result.inputRequests ?? {});
    } catch {
      call.isSettled = true;
    }
  }

  function take(one: Step): void {
    const handlers = [...working];
    switch (one.kind) {
      case "call": {
        const marker = `m${made.length}`;
        const { conversation: of, isQuiet, tool } = one as { conversation?: string; isQuiet: boolean; tool: number };
        const exchange = createFakeExchange("ann", of);
        const call: Made = {
          ...{ user: of ?? marker, marker, name: `t${tool}`, exchange },
          ...{ requestState: undefined, keys: [], isSettled: false },
        };
        made.push(call);
        void round(call, { arguments: { marker } }, isQuiet);
        return;
      }
      case "ask": {
        const { index: at, hasOrigin } = one as { index: number; hasOrigin: boolean };
        const [marker, id] = handlers[at % handlers.length] ?? [];
        if (marker === undefined || !mayAsk(byMarker(marker).name)) return;
        const ask = `s${++lastAsk}`;
        asks.set(ask, marker);
        const requestedSchema = { type: "object", properties: {} };
        server.ask(ask, "elicitation/create", { message: marker, requestedSchema }, hasOrigin ? id : undefined);
        server.tell("notifications/message", { level: "info", data: marker });
        return;
      }
      case "finish": {
        const [marker, id] = handlers[(one as { index: number }).index % handlers.length] ?? [];
        if (marker === undefined || id === undefined) return;
        working.delete(marker);
        server.say({ jsonrpc: "2.0", id, result: { content: [] } });
        return;
      }
      case "answer": {
        const pending = made.filter(({ requestState }) => requestState !== undefined);
        const call = pending[(one as { index: number }).index % pending.length];
        if (!call) return;
        const answer = { action: "accept", content: { name: call.marker } };
        const inputResponses = Object.fromEntries(call.keys.map((key) => [key, answer]));
        const { requestState } = call;
        const { conversation: of } = call.exchange;
        const notes = call.exchange.notes;
        call.exchange = createFakeExchange("ann", of);
        call.exchange.notes.push(...notes);
        void round(call, { arguments: { marker: call.marker }, requestState, inputResponses }, false);
        return;
      }
      case "cancel":
        made[(one as { index: number }).index % made.length]?.exchange.cancel();
    }
  }

  return { server, made, take, read, connecting, delivered: () => delivered };
}

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["learned", {}],
  ["configured", { elicits: (name: string) => name !== "t0" }],
])(
  "delivers no input request, answer or log message to another user when the eliciting tools are %s",
  async (how, options) => {
    let delivered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), fc.boolean(), async (steps, dies) => {
        vi.useFakeTimers();
        const run = createRun({ turnWaitMs: 10_000, ...options });
        const { server, made, take, read, connecting } = run;
        const connection = await connecting;
        for (const one of steps) {
          take(one);
          await vi.advanceTimersByTimeAsync(one.kind === "wait" ? (one as { ms: number }).ms : 1);
          read();
        }
        delivered += run.delivered();
        if (dies) server.die("killed");
        await connection.close();
        await vi.advanceTimersByTimeAsync(1);
        read();
        for (const call of made) {
          if (call.requestState === undefined) expect(call.isSettled, "every round ends").toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(delivered, `questions are delivered: ${how}`).toBeGreaterThan(100);
  },
);
