// The table of the decision procedure: every combination of answers has one contract, or honestly none.
import { describe, expect, it } from "vitest";
import type { Exchange } from "../exchange/exchange.ts";
import { decideContract, decideOccupied } from "./session-contract.ts";

let number = 0;

function exchange(part: Partial<Exchange>): Exchange {
  number += 1;
  const sent = { via: "POST", address: "http://x", headers: {} } as const;
  return {
    number,
    what: "tools/list",
    sent,
    headers: {},
    body: "",
    answer: { kind: "other" },
    asked: [],
    ms: 1,
    ...part,
  };
}

const outcomes = {
  ok: () => exchange({ status: 200, answer: { kind: "result", result: {} } }),
  refused: () => exchange({ status: 400, answer: { kind: "error", error: { code: -32000, message: "" } } }),
  silent: () => exchange({ answer: { kind: "none", reason: "timeout", message: "" } }),
  minted: () =>
    exchange({ status: 200, headers: { "mcp-session-id": "another" }, answer: { kind: "result", result: {} } }),
  page: () => exchange({ status: 200, body: "<html>" }),
};
type Outcome = keyof typeof outcomes;

const initialize = exchange({
  status: 200,
  headers: { "mcp-session-id": "real" },
  answer: { kind: "result", result: {} },
});

describe("a server that issued an id", () => {
  it.each<[Outcome, Outcome, string | undefined]>([
    ["ok", "ok", "optional"],
    ["ok", "refused", "optional"],
    ["ok", "silent", undefined],
    ["ok", "minted", "implicit"],
    ["minted", "ok", "implicit"],
    ["minted", "refused", "implicit"],
    ["refused", "ok", "soft"],
    ["refused", "refused", "enforced"],
    ["refused", "silent", undefined],
    ["refused", "page", undefined],
    ["silent", "refused", "enforced"],
    ["silent", "ok", undefined],
    ["silent", "silent", undefined],
    ["page", "page", undefined],
  ])("without: %s, made up: %s ⇒ %s", (without, foreign, contract) => {
    const trials = { initialize, sessionId: "real", baseline: outcomes.ok(), again: outcomes.ok() };
    const finding = decideContract({ ...trials, without: outcomes[without](), foreign: outcomes[foreign]() });
    expect(finding.contract).toBe(contract);
    expect(finding.problem === undefined).toBe(contract !== undefined);
  });

  it.each<Outcome>(["refused", "silent", "page"])("an id that stops working (%s) gives no contract", (again) => {
    const trials = { initialize, sessionId: "real", baseline: outcomes.ok(), again: outcomes[again]() };
    const finding = decideContract({ ...trials, without: outcomes.refused(), foreign: outcomes.refused() });
    expect(finding).toMatchObject({ problem: expect.anything() });
    expect(finding.contract).toBeUndefined();
  });

  it("an echo of the made-up id is no new session", () => {
    const echoed = exchange({
      ...outcomes.ok(),
      headers: { "mcp-session-id": "made-up" },
      sent: { via: "POST", address: "http://x", headers: { "mcp-session-id": "made-up" } },
    });
    const trials = { initialize, sessionId: "real", baseline: outcomes.ok(), without: outcomes.ok() };
    expect(decideContract({ ...trials, foreign: echoed }).contract).toBe("optional");
  });

  it("a response with the issued id to a request without one is no new session", () => {
    const named = exchange({ ...outcomes.ok(), headers: { "mcp-session-id": "real" } });
    const trials = { initialize, sessionId: "real", baseline: outcomes.ok(), foreign: outcomes.ok() };
    expect(decideContract({ ...trials, without: named }).contract).toBe("optional");
  });

  it("a ping that is also refused with the id proves nothing", () => {
    const trials = { initialize, sessionId: "real", baseline: outcomes.ok(), foreign: outcomes.ok() };
    const ping = { without: outcomes.refused(), with: outcomes.refused() };
    expect(decideContract({ ...trials, without: outcomes.ok(), ping }).contract).toBe("optional");
    const witness = { ...ping, with: outcomes.ok() };
    expect(decideContract({ ...trials, without: outcomes.ok(), ping: witness }).contract).toBe("enforced");
  });

  it("a missing signal lowers the confidence", () => {
    const trials = {
      initialize,
      sessionId: "real",
      baseline: outcomes.ok(),
      again: outcomes.ok(),
      foreign: outcomes.refused(),
    };
    expect(decideContract({ ...trials, without: outcomes.refused() }).confidence).toBe("high");
    expect(decideContract({ ...trials, without: outcomes.silent() }).confidence).toBe("medium");
  });
});

describe("a server that issued no id", () => {
  it.each<[Outcome, Outcome, string]>([
    ["ok", "ok", "none"],
    ["ok", "refused", "none"],
    ["ok", "silent", "none"],
    ["minted", "ok", "implicit"],
  ])("list: %s, made up: %s ⇒ %s", (baseline, foreign, contract) => {
    const trials = { initialize, sessionId: undefined, baseline: outcomes[baseline](), foreign: outcomes[foreign]() };
    expect(decideContract(trials).contract).toBe(contract);
  });
});

it("a refused initialize means a taken session only if a missing and a made-up id get different answers", () => {
  const other = exchange({ status: 404, answer: { kind: "error", error: { code: -32001, message: "" } } });
  expect(decideOccupied(outcomes.refused(), outcomes.refused(), other)?.contract).toBe("single-tenant");
  expect(decideOccupied(outcomes.refused(), outcomes.refused(), outcomes.refused())).toBeUndefined();
  expect(decideOccupied(outcomes.refused(), outcomes.silent(), other)).toBeUndefined();
});
