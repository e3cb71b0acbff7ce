// Which sessions the cache keeps, drops and verifies again.
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, vi } from "vitest";
import { createResultWriter } from "../shared/legacy-context.ts";
import { fillLegacyOptions } from "../shared/legacy-options.ts";
import { LostStreams } from "../shared/lost-streams.ts";
import { LegacySession } from "./session.ts";
import { createSessionCache } from "./session-cache.ts";
import type { SessionTokens } from "./session-token.ts";

const context = {
  dispatch: () => Promise.reject(new Error("not called")),
  info: { name: "s", version: "1" },
  settings: fillLegacyOptions({ maxSessions: 2 }),
  writeResult: createResultWriter(),
  lostStreams: new LostStreams(10),
};
let opened = 0;
const tokens: SessionTokens = {
  mint: () => Promise.resolve(""),
  open: async (token) => {
    opened++;
    return token === "bad"
      ? undefined
      : { id: token, revision: revisionNamed("2025-11-25"), capabilities: {}, clientInfo: undefined };
  },
};

it("a session is opened once, kept while it is used, and dropped when others need its place", async () => {
  const cache = createSessionCache(tokens, context);
  const [a, again] = await Promise.all([cache.find("a", undefined), cache.find("a", undefined)]);
  expect(a).toBe(again);
  expect(await cache.find("bad", undefined)).toBeUndefined();
  expect(await cache.find("a", undefined)).toBe(a);
  expect(opened).toBe(3);
  const b = await cache.find("b", undefined);
  await cache.find("a", undefined);
  await cache.find("c", undefined);
  expect(await cache.find("a", undefined)).toBe(a);
  expect(await cache.find("b", undefined)).not.toBe(b);
});

it("sessions in use are never dropped, so a full cache accepts no other session", async () => {
  const cache = createSessionCache(tokens, context);
  const held = await Promise.all([cache.find("a", undefined), cache.find("b", undefined)]);
  const detach = held.map((session) => (session instanceof LegacySession ? session.attach({ end() {} }) : () => {}));
  expect(await cache.find("c", undefined)).toBe("busy");
  expect(await cache.find("a", undefined)).toBe(held[0]);
  for (const let_ of detach) let_();
  expect(await cache.find("c", undefined)).toBeInstanceOf(LegacySession);
});

it("the cache keeps the latest idle sessions up to the limit, and all sessions in use", async () => {
  const settings = fillLegacyOptions({ maxSessions: 100, maxIdleSessions: 3 });
  const cache = createSessionCache(tokens, { ...context, settings });
  const inUse: LegacySession[] = [];
  for (let count = 0; count < 20; count += 1) {
    const session = (await cache.find(`in use ${count}`, undefined)) as LegacySession;
    session.attach({ end() {} });
    inUse.push(session);
  }
  for (let count = 0; count < 100; count += 1) await cache.find(`idle ${count}`, undefined);
  const kept = [...cache.all()];
  expect(inUse.every((session) => kept.includes(session))).toBe(true);
  expect(kept.length).toBeLessThan(2 * 20 + 3);
  expect(kept.some(({ facts }) => facts.id === "idle 99")).toBe(true);
});

it("an expired session id is detected although its session is cached", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    let isValid = true;
    const expiring: SessionTokens = {
      ...tokens,
      open: async (token) => (isValid ? tokens.open(token, undefined) : undefined),
    };
    const cache = createSessionCache(expiring, context);
    const session = await cache.find("e", undefined);
    isValid = false;
    expect(await cache.find("e", undefined)).toBe(session);
    vi.setSystemTime(Date.now() + 600_000);
    expect(await cache.find("e", undefined)).toBeUndefined();
    expect(await cache.find("e", undefined)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

it("a terminated session is unknown", async () => {
  const cache = createSessionCache(tokens, context);
  await cache.find("x", undefined);
  await context.settings.store.update("x", () => ({ isTerminated: true }));
  expect(await cache.find("x", undefined)).toBeUndefined();
});
