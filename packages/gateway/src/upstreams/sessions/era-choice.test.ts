import type { ModernRequest } from "@lethe/protocol";
import { tasksExtension } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createFakeConnection, createFakeSessions, type FakeConnection, requestOf } from "../../testing/fakes.ts";
import { chooseEra, ofEra } from "./era-choice.ts";
import { LegacyEra, type LegacyEraOptions, untilErasOpen } from "./legacy-era.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

interface Plan extends Partial<LegacyEraOptions> {
  main?: Parameters<typeof createFakeSessions>[0];
  modern?: () => FakeConnection;
  legacy?: () => FakeConnection | Promise<FakeConnection>;
}

/** An upstream whose first connection is of the newer era. */
async function createUpstream({ main: config, modern, legacy, ...options }: Plan = {}) {
  const create = vi.fn((): UpstreamSessions => {
    const connect = async () => (legacy ? legacy() : createFakeConnection());
    return createFakeSessions({ era: "legacy", start: "demand", newerEra: () => main, connect }).sessions;
  });
  const legacyEra = new LegacyEra({ create, read: async () => {}, ...options });
  const made = createFakeSessions({ legacyEra, ...config }, modern ?? (() => createFakeConnection({ era: "modern" })));
  const main = made.sessions;
  await main.start();
  return { main, legacyEra, create, opened: made.opened };
}

const call = (): ModernRequest => requestOf("tools/call", { name: "t" });
const legacyCall = (): ModernRequest => ({ ...call(), prefersSession: true });
const tool = { kind: "tools", name: "t" } as const;
const names = (...tools: string[]) => ({
  tools: new Set(tools),
  prompts: new Set<string>(),
  resources: new Set<string>(),
});
const noFeatures = { completions: false, subscribe: false };

describe("an upstream that speaks both eras", () => {
  it("sends calls of legacy clients over the older era and opens it for the first of them", async () => {
    const { main, create } = await createUpstream();
    expect(chooseEra(main, call(), tool)).toBe(main);
    expect(create).not.toHaveBeenCalled();
    const [one, other] = await Promise.all([chooseEra(main, legacyCall(), tool), chooseEra(main, legacyCall(), tool)]);
    expect(one.isLegacyEra).toBe(true);
    expect(other).toBe(one);
    expect(create).toHaveBeenCalledTimes(1);
    expect(chooseEra(main, legacyCall(), tool)).toBe(one);
  });

  it("sends requests for items of one era over that era, for every caller", async () => {
    const { main, legacyEra } = await createUpstream();
    const older = await legacyEra.open(main);
    legacyEra.differences = { onlyModern: names("new"), onlyLegacy: names("old"), onlyLegacyFeatures: noFeatures };
    expect(chooseEra(main, call(), { kind: "tools", name: "old" })).toBe(older);
    expect(chooseEra(main, legacyCall(), { kind: "tools", name: "new" })).toBe(main);
    expect(chooseEra(main, requestOf("completion/complete"))).toBe(main);
    legacyEra.differences = {
      ...legacyEra.differences,
      onlyLegacyFeatures: { completions: true, subscribe: true },
    };
    expect(chooseEra(main, requestOf("completion/complete"))).toBe(older);
    expect(chooseEra(main, requestOf("subscriptions/listen"))).toBe(older);
  });

  it("calls a tool over the era that it was found to need", async () => {
    const told: unknown[] = [];
    const { main, legacyEra } = await createUpstream({ onTool: (...args) => told.push(args) });
    const older = await legacyEra.open(main);
    legacyEra.learn("t", "legacy");
    legacyEra.learn("t", "legacy");
    expect(chooseEra(main, call(), tool)).toBe(older);
    legacyEra.learn("t", "modern");
    expect(chooseEra(main, legacyCall(), tool)).toBe(main);
    expect(told).toEqual([["t", true]]);
  });

  it("keeps tasks in the newer era, which lists them", async () => {
    const modern = () => {
      const connection = createFakeConnection({ era: "modern" });
      connection.server.capabilities.extensions = { [tasksExtension]: {} };
      return connection;
    };
    const { main } = await createUpstream({ modern });
    expect(chooseEra(main, { ...legacyCall(), taskAugmentation: {} }, tool)).toBe(main);
  });

  it("sends the next round of a call over the era of the first one", async () => {
    const { main, legacyEra } = await createUpstream();
    const older = await legacyEra.open(main);
    expect(ofEra(main, "legacy")).toBe(older);
    expect(ofEra(main, undefined)).toBe(main);
  });
});

describe("an upstream with one connection for both eras", () => {
  const kept: [string, Plan][] = [
    ["when the configuration names the era", { main: { era: "modern" } }],
    ["when it has one session for everybody", { main: { sharing: "single" } }],
    ["when its connection is of the older era", { modern: () => createFakeConnection() }],
  ];
  it.each(kept)("keeps the only connection %s", async (_when, plan) => {
    const { main, create } = await createUpstream(plan);
    expect(await chooseEra(main, legacyCall(), tool)).toBe(main);
    expect(untilErasOpen([main], 1_000)).toBeUndefined();
    expect(create).not.toHaveBeenCalled();
  });

  it("keeps the only connection if the older era fails to open, and does not retry at once", async () => {
    const { main, create } = await createUpstream({
      legacy: () => {
        throw new Error("modern only");
      },
    });
    await untilErasOpen([main], 1_000);
    expect(await chooseEra(main, legacyCall(), tool)).toBe(main);
    expect(create).toHaveBeenCalledTimes(1);
  });

  it("keeps the only connection if the older era has no session and so offers no more", async () => {
    const { main } = await createUpstream({ legacy: () => createFakeConnection({ isStateful: false }) });
    expect(await chooseEra(main, legacyCall(), tool)).toBe(main);
  });

  it("keeps the only connection if a second client ends the first one during or soon after its opening", async () => {
    const { main, opened, legacyEra } = await createUpstream({
      legacy: () => {
        opened[0]?.end("another client came");
        return createFakeConnection();
      },
    });
    expect(await chooseEra(main, legacyCall(), tool)).toBe(main);
    const late = await createUpstream();
    expect(await late.legacyEra.open(late.main)).toBeDefined();
    late.opened[0]?.end("another client came");
    await vi.waitFor(() => expect(late.legacyEra.sessions).toBeUndefined());
    expect(legacyEra.sessions).toBeUndefined();
  });

  it("keeps the only connection while the older era takes too long to open", async () => {
    const { main } = await createUpstream({ openTimeoutMs: 10, legacy: () => new Promise(() => {}) });
    expect(await chooseEra(main, legacyCall(), tool)).toBe(main);
  });
});
