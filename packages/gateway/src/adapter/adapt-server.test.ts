// The options of adaptServer are checked before anything is started.
import { expect, it, vi } from "vitest";
import { adaptServer } from "./adapt-server.ts";

const server = { connect: async () => {}, close: async () => {} };

it("rejects what is no server object of the official SDK", () => {
  const message = "adaptServer: a server object of the official SDK, or a function that creates one, expected, got";
  expect(() => adaptServer({} as never)).toThrow(`${message} an object`);
  expect(() => adaptServer(undefined as never)).toThrow(`${message} nothing`);
});

it.each([
  ["an unknown option", { sesions: "none" }, 'adaptServer: legacy: unknown option "sesions"; did you mean "sessions"?'],
  ["an unknown revision", { revisions: ["x"] }, "adaptServer: legacy.revisions: expected 2025-11-25"],
  ["a number instead", 5, 'adaptServer: legacy: an object such as { sessions: "off" } expected, got a number'],
  ["a flag instead", true, 'adaptServer: legacy: an object such as { sessions: "off" } expected, got a boolean'],
])("%s of legacy is rejected by its name, and nothing keeps the process alive", (_, legacy, message) => {
  const timers = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "setTimeout")];
  expect(() => adaptServer(server as never, { legacy: legacy as never })).toThrow(message);
  for (const timer of timers) expect(timer).not.toHaveBeenCalled();
});
