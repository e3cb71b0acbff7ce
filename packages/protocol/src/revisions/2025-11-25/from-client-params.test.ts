import { expect, it } from "vitest";
import { metaKey } from "../../meta/keys.ts";
import { fromClientParams } from "./request.ts";

const envelope = { capabilities: { roots: {} }, clientInfo: { name: "c", version: "1" }, logLevel: "info" };
const meta = {
  [metaKey.protocolVersion]: "2026-07-28",
  [metaKey.clientCapabilities]: { roots: {} },
  [metaKey.clientInfo]: { name: "c", version: "1" },
  [metaKey.logLevel]: "info",
};

it("fromClientParams takes the envelope from the session (D-50)", () => {
  expect(fromClientParams("tools/call", undefined, envelope)).toEqual({ _meta: meta });
  expect(fromClientParams("tools/call", { name: "a", arguments: {} }, { capabilities: {} })).toEqual({
    name: "a",
    arguments: {},
    _meta: { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} },
  });
});

it("fromClientParams ignores members of an envelope, a retry or a task that the client sends", () => {
  const forged = {
    [metaKey.clientCapabilities]: { sampling: {} },
    [metaKey.logLevel]: "debug",
    progressToken: 0,
    "a/b": 1,
  };
  const params = { name: "a", task: { ttl: 1 }, inputResponses: {}, requestState: "x", _meta: forged };
  expect(fromClientParams("tools/call", params, envelope)).toEqual({
    name: "a",
    _meta: { ...meta, progressToken: 0, "a/b": 1 },
  });
});

it("fromClientParams drops a _meta that is not an object", () => {
  expect(fromClientParams("tools/call", { _meta: 7 }, envelope)).toEqual({ _meta: meta });
});
