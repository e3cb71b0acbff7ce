// A message of a replica is handled only in a form that this version knows.
import type { JsonObject } from "@lethe/protocol";
import { expect, test } from "vitest";
import { isFromOwner, isToOwner } from "./message.ts";

const call = { kind: "call", call: 1, path: "/mcp", request: { id: 1, method: "m", params: { _meta: {} } }, hops: 1 };
const toOwner: readonly JsonObject[] = [
  call,
  { ...call, caller: { id: "ann" }, isAnonymous: false, conversation: "c" },
  { kind: "abort", call: 1 },
  { kind: "taken", call: 1, bytes: 2 },
  { kind: "ask", calls: [1, 2] },
];
const fromOwner: readonly JsonObject[] = [
  { kind: "note", call: 1, notification: { method: "m" }, bytes: 2 },
  { kind: "result", call: 1, result: {} },
  { kind: "error", call: 1, error: { code: -32_603, message: "m" }, refusal: 503 },
  { kind: "failure", call: 1, reason: "busy", what: "w" },
  { kind: "answer", unknown: [1], unstarted: [1] },
  { kind: "answer", unknown: [] },
];
const optional = new Set(["caller", "isAnonymous", "conversation", "refusal", "unstarted"]);

test("a message is for the owner of a session, or from it", () => {
  for (const message of toOwner) expect([isToOwner(message), isFromOwner(message)]).toEqual([true, false]);
  for (const message of fromOwner) expect([isToOwner(message), isFromOwner(message)]).toEqual([false, true]);
  expect([isToOwner({ kind: "joined" }), isFromOwner({ kind: "joined" })]).toEqual([false, false]);
});

test.each(
  [...toOwner, ...fromOwner].flatMap((message) =>
    Object.keys(message)
      .filter((key) => !optional.has(key))
      .map((key) => ({ message, key })),
  ),
)("a message is neither without a member, or with another type of it: $message.kind, $key", ({ message, key }) => {
  const { [key]: _, ...rest } = message;
  for (const wrong of [rest, { ...message, [key]: null }, { ...message, [key]: [{}] }])
    expect([isToOwner(wrong), isFromOwner(wrong)]).toEqual([false, false]);
});

test.each([
  { caller: null },
  { caller: {} },
  { caller: { id: 1 } },
  { request: { id: 1, params: {} } },
  { request: { id: 1, method: "m" } },
])("a call is none with %j", (members) => {
  expect(isToOwner({ ...call, ...members } as JsonObject)).toBe(false);
});
