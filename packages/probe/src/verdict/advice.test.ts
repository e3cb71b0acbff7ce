// The advice to a gateway for each kind of server.
import { expect, it } from "vitest";
import type { Contract } from "../behaviour/session-contract.ts";
import { type Pooling, toAdvice } from "./advice.ts";
import type { EraVerdict } from "./era-verdict.ts";

const unspoken: EraVerdict = { isSpoken: false, word: "UNKNOWN", revisions: [], confidence: "high", reasons: [] };
const spoken = (more: Partial<EraVerdict>): EraVerdict => ({ ...unspoken, isSpoken: true, ...more });

it.each<[Contract | undefined, Pooling]>([
  ["none", "shared"],
  ["optional", "shared"],
  ["soft", "id-per-caller"],
  ["enforced", "session-per-key"],
  ["implicit", "session-per-key"],
  ["process", "session-per-key"],
  ["single-tenant", "single-owner"],
  [undefined, "session-per-key"],
])("for legacy sessions with the contract %s, the advice is %s", (contract, pooling) => {
  const legacy = spoken({ word: "STATEFUL", ...(contract && { contract }) });
  expect(toAdvice(unspoken, legacy, "streamable-http")).toMatchObject({ pooling, era: "legacy" });
});

it("the advice prefers the modern era if it is served, not if it is only announced", () => {
  const legacy = spoken({ word: "STATEFUL", contract: "enforced" });
  const modern = spoken({ word: "STATELESS", contract: "none" });
  expect(toAdvice(modern, legacy, "streamable-http")).toMatchObject({ pooling: "pass-through", era: "modern" });
  expect(toAdvice(modern, legacy, "streamable-http").text).toContain("shared connections");
  expect(toAdvice(modern, legacy, "stdio").text).toContain("a process for each caller");
  expect(toAdvice({ ...modern, word: "UNKNOWN" }, legacy, "stdio")).toMatchObject({ era: "legacy" });
});

it("for an unknown server, the advice is the most careful pooling without an era", () => {
  const advice = toAdvice(unspoken, unspoken, undefined);
  expect(advice.pooling).toBe("session-per-key");
  expect(advice).not.toHaveProperty("era");
});
