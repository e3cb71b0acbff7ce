import { TransportError } from "@lethe/client";
import { McpError } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { doubtOfError } from "./contradiction.ts";

const bare = { era: "legacy", isStateful: false } as const;
const named = { era: "legacy", isStateful: true } as const;
const status = (code: number) => new TransportError("status", "no", { status: code });

describe("errors that contradict a verdict", () => {
  it.each([
    ["a refused revision", new McpError(-32_022, "no"), named],
    ["a missing session", new McpError(-32_000, "no"), bare],
    ["a session that is not found", new McpError(-32_001, "no"), bare],
    [
      "an error wrapped by a legacy connection",
      new McpError(-32_603, "no", { cause: new McpError(-32_000, "no") }),
      bare,
    ],
    ["400 without a message", status(400), bare],
    ["404 without a message", status(404), bare],
    ["a response that is not a message", new TransportError("invalid", "no"), bare],
  ])("doubts the verdict after %s", (_what, error, connection) => {
    expect(doubtOfError(error, connection)).toEqual(expect.any(String));
  });

  it.each([
    ["of the tool", new McpError(-32_602, "no"), bare],
    ["of the upstream itself", new McpError(-32_603, "no"), bare],
    ["within a session", new McpError(-32_000, "no"), named],
    ["of overload", status(503), bare],
    ["of a timeout", new TransportError("timeout", "no"), bare],
    ["of unknown origin", new Error("no"), bare],
  ])("does not doubt the verdict after an error %s", (_what, error, connection) => {
    expect(doubtOfError(error, connection)).toBeUndefined();
  });
});
