import { afterEach, expect, it } from "vitest";
import { type HangUps, receiveHangUps } from "./hang-ups.ts";

let hangUps: HangUps | undefined;
afterEach(() => hangUps?.close());

it("reloads once for signals that arrive before a gateway can reload, and for each one afterwards", () => {
  hangUps = receiveHangUps();
  process.emit("SIGHUP");
  process.emit("SIGHUP");
  let reloads = 0;
  hangUps.reloadBy(() => {
    reloads += 1;
  });
  expect(reloads).toBe(1);
  process.emit("SIGHUP");
  expect(reloads).toBe(2);
});

it("reloads nothing without a signal", () => {
  hangUps = receiveHangUps();
  let reloads = 0;
  hangUps.reloadBy(() => {
    reloads += 1;
  });
  expect(reloads).toBe(0);
});
