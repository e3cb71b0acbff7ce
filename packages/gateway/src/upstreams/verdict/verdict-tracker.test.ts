import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpUpstream, StdioUpstream } from "../../config/upstream-config.ts";
import { createFakeConnection } from "../../testing/fakes.ts";
import { createFakeProbe, legacyReport, modernReport, unknownReport } from "../../testing/reports.ts";
import { type VerdictChange, VerdictTracker, type VerdictTrackerOptions } from "./verdict-tracker.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const modern = () => createFakeConnection({ era: "modern" });
const named = () => createFakeConnection({ era: "legacy", isStateful: true });
const unnamed = () => createFakeConnection({ era: "legacy", isStateful: false });

function create(policy: Partial<HttpUpstream> = {}, options: Partial<VerdictTrackerOptions> = {}) {
  const { probe, end } = createFakeProbe();
  const changes: VerdictChange[] = [];
  const onDoubt = vi.fn();
  const judge = new VerdictTracker({
    config: { kind: "http", name: "up", url: "http://up/mcp", headers: {}, ...policy },
    probe,
    transport: () => "streamable-http",
    onVerdict: (change) => changes.push(change),
    onDoubt,
    ...options,
  });
  return { judge, probe, end, changes, onDoubt };
}

describe("the verdict after the first connection", () => {
  it("gives a verdict with the first connection, which the probe confirms or corrects", async () => {
    const { judge, probe, end, changes } = create();
    judge.see(named(), true);
    expect(judge.verdict).toMatchObject({ sharing: "session", source: "connection" });
    expect(probe).toHaveBeenCalledTimes(1);
    await end(legacyReport("single-tenant"));
    await judge.settled;
    expect(judge.verdict).toMatchObject({ sharing: "single", source: "probe", contract: "single-tenant" });
    expect(changes).toMatchObject([{}, { before: { sharing: "session" } }]);
    expect(changes[1]?.because).toBeUndefined();
  });

  it("leaves the verdict open as long as a separate session may be wrong", async () => {
    const { judge, end } = create();
    judge.see(named(), true);
    expect(judge.isOpen).toBe(true);
    await end(legacyReport("enforced"));
    expect(judge.isOpen).toBe(false);
    judge.doubt("it refused", named());
    expect(judge.isOpen).toBe(false);
    const sharing = create();
    sharing.judge.see(modern(), true);
    expect(sharing.judge.isOpen).toBe(false);
  });

  it("decides with a warning when the probe takes too long", async () => {
    const { judge, probe } = create({}, { probeTimeoutMs: 1_000 });
    judge.see(named(), true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(judge.verdict).toMatchObject({ word: "UNKNOWN", sharing: "session", source: "connection" });
    expect(judge.verdict?.warnings[0]).toContain("no end within 1000 ms");
    expect(probe.mock.calls[0]?.[0].aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("decides with the reason as a warning if the probe is inconclusive", async () => {
    const { judge, end } = create();
    judge.see(unnamed(), true);
    await end(unknownReport);
    expect(judge.verdict).toMatchObject({ word: "UNKNOWN", sharing: "shared", source: "connection" });
    expect(judge.verdict?.warnings).toEqual([
      "probing gave no result (tools/list: 503; try again later): the verdict follows from its connection",
    ]);
  });

  it("does not probe over HTTP+SSE, because a second stream ends some servers", () => {
    const { judge, probe } = create({}, { transport: () => "http-sse" });
    judge.see(named(), true);
    expect(probe).not.toHaveBeenCalled();
    expect(judge.verdict).toMatchObject({ sharing: "session", contract: "enforced" });
    expect(judge.verdict?.evidence.join()).toContain("not probed");
  });
});

describe("contradictions of a verdict", () => {
  async function judged(report = legacyReport("none", "STATELESS"), connection = unnamed()) {
    const parts = create();
    parts.judge.see(connection, true);
    await parts.end(report);
    parts.probe.mockClear();
    return parts;
  }

  it.each([
    [
      "a connection with a session, where none was before",
      legacyReport("none", "STATELESS"),
      unnamed(),
      named(),
      "began a session",
    ],
    [
      "a connection without a session, where one was before",
      legacyReport("enforced"),
      named(),
      unnamed(),
      "began no session",
    ],
    ["a connection of another era", modernReport, modern(), named(), "speaks 2025-11-25"],
  ])("probes again after %s", async (_what, report, first, second, doubt) => {
    const { judge, probe, changes, end } = await judged(report, first);
    judge.see(second, false);
    expect(probe).toHaveBeenCalledTimes(1);
    await end(report === modernReport ? legacyReport("enforced") : modernReport);
    expect(changes.at(-1)?.because).toContain(doubt);
    expect(judge.verdict?.evidence[0]).toContain(`probed again: a new connection ${doubt}`);
  });

  it.each([
    ["none", unnamed(), unnamed()],
    ["enforced", named(), named()],
    // It may have given out an id with the handshake, or not.
    ["implicit", named(), unnamed()],
    ["soft", named(), unnamed()],
  ] as const)(
    "does not probe again if a connection is consistent with the contract %s",
    async (contract, first, second) => {
      const { judge, probe } = await judged(legacyReport(contract), first);
      judge.see(second, false);
      expect(probe).not.toHaveBeenCalled();
    },
  );

  it("probes at most once per minute after contradictions, and less often when nothing changes", async () => {
    const { judge, probe, end } = await judged();
    const doubt = () => judge.doubt("it refused", unnamed());
    doubt();
    doubt();
    await end(legacyReport("none", "STATELESS"));
    doubt();
    expect(probe).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(119_999);
    doubt();
    expect(probe).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    doubt();
    expect(probe).toHaveBeenCalledTimes(2);
    await end(legacyReport("enforced"));
    await vi.advanceTimersByTimeAsync(59_999);
    doubt();
    expect(probe).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    doubt();
    expect(probe).toHaveBeenCalledTimes(3);
  });

  it("changes only the warnings when the probe fails", async () => {
    const { judge, end } = await judged();
    judge.doubt("it refused", unnamed());
    await end(unknownReport);
    expect(judge.verdict).toMatchObject({ sharing: "shared", word: "STATELESS", contract: "none" });
    expect(judge.verdict?.warnings[0]).toContain("503");
  });

  it("probes a contradiction in the era alone, and the next one after a minute", async () => {
    const { judge, probe, end } = await judged(modernReport, modern());
    judge.see(unnamed(), false);
    await end(legacyReport("none", "STATELESS"));
    expect(judge.verdict).toMatchObject({ sharing: "shared", era: "legacy" });
    await vi.advanceTimersByTimeAsync(60_000);
    judge.see(modern(), false);
    expect(probe).toHaveBeenCalledTimes(2);
  });

  it("ignores contradictions before the first verdict and after the end", async () => {
    const { judge, probe, changes } = create();
    judge.doubt("it refused", unnamed());
    expect(probe).not.toHaveBeenCalled();
    judge.see(unnamed(), true);
    await judge.close();
    await judge.settled;
    judge.doubt("it refused", unnamed());
    expect(probe).toHaveBeenCalledTimes(1);
    expect(changes).toHaveLength(1);
  });
});

describe("a configured verdict", () => {
  it.each([
    [{ sharing: "single" } as const, "single", "configuration"],
    [{ sharing: "session" } as const, "session", "configuration"],
    [{ affinity: "call" } as const, "shared", "connection"],
  ])("does not probe with the configuration %j", (policy, sharing, source) => {
    const { judge, probe } = create(policy);
    judge.see(unnamed(), true);
    expect(probe).not.toHaveBeenCalled();
    expect(judge.verdict).toMatchObject({ sharing, source });
  });

  it("does not probe if the configured era is modern", () => {
    const { judge, probe } = create({ era: "modern" });
    judge.see(modern(), true);
    expect(probe).not.toHaveBeenCalled();
    expect(judge.verdict).toMatchObject({ sharing: "shared", source: "configuration" });
  });

  it("keeps a configured verdict that is stricter than needed", async () => {
    const { judge, end } = create({ sharing: "single" });
    judge.see(named(), true);
    judge.doubt("it refused", named());
    await end(legacyReport("enforced"));
    expect(judge.verdict).toMatchObject({ sharing: "single", source: "configuration", warnings: [] });
  });

  it("probes a configured sharing of shared if a session begins, and separates callers meanwhile", async () => {
    const { judge, probe, end } = create({ sharing: "shared" });
    judge.see(named(), true);
    expect(probe).toHaveBeenCalledTimes(1);
    expect(judge.verdict).toMatchObject({ sharing: "session" });
    await end(legacyReport("enforced"));
    expect(judge.verdict).toMatchObject({ sharing: "session", source: "probe" });
    expect(judge.verdict?.warnings[0]).toContain('the configuration says "sharing": "shared", but');
  });

  it("keeps a configured sharing of shared if the server does not check session ids", async () => {
    const { judge, end } = create({ sharing: "shared" });
    judge.see(named(), true);
    await end(legacyReport("optional", "STATELESS"));
    expect(judge.verdict).toMatchObject({ sharing: "shared", source: "configuration", warnings: [] });
  });

  it("keeps a configured sharing of shared for a process, because only its operator knows its state", () => {
    const config: StdioUpstream = { kind: "stdio", name: "up", command: "x", args: [], env: {}, sharing: "shared" };
    const { judge } = create({}, { config, probe: undefined, transport: () => "stdio" });
    judge.see(named(), true);
    expect(judge.verdict).toMatchObject({ sharing: "shared", word: "STATEFUL", source: "configuration", warnings: [] });
  });
});

describe("verdicts without a probe", () => {
  it("takes a new verdict from each connection of the gateway itself, and from no other", () => {
    const { judge, changes } = create({}, { probe: undefined });
    judge.see(unnamed(), true);
    judge.see(named(), false);
    expect(judge.verdict?.sharing).toBe("shared");
    judge.see(named(), true);
    judge.see(named(), true);
    expect(judge.verdict?.sharing).toBe("session");
    expect(changes).toHaveLength(2);
  });

  it("reconnects after a contradiction, less often when nothing changes", () => {
    const { judge, onDoubt } = create({}, { probe: undefined });
    judge.see(unnamed(), true);
    const doubt = () => judge.doubt("it refused", unnamed());
    doubt();
    vi.advanceTimersByTime(59_999);
    doubt();
    expect(onDoubt).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    doubt();
    vi.advanceTimersByTime(60_000);
    doubt();
    expect(onDoubt).toHaveBeenCalledTimes(2);
    judge.see(named(), true);
    vi.advanceTimersByTime(60_000);
    doubt();
    vi.advanceTimersByTime(60_000);
    doubt();
    expect(onDoubt).toHaveBeenCalledTimes(4);
  });
});
