// Tests of the tee between a client and a server process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { expect, it } from "vitest";
import { createClock } from "./clock.ts";
import { parseTeeLog, recordStdio } from "./record-stdio.ts";

const echo = `process.stdin.on("data", (chunk) => process.stdout.write(chunk)).on("end", () => process.stdout.write("half"));`;

it("recordStdio records every line of both sides and forwards the bytes unchanged", async () => {
  const { zero, now } = createClock();
  const recorder = await recordStdio({ command: process.execPath, args: ["-e", echo] }, zero);
  const { command, args = [] } = recorder.command;
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const sent = Buffer.from('{"a":"🦦"}\n{"b":2}\n');
  child.stdin.write(sent.subarray(0, 8));
  child.stdin.end(sent.subarray(8));
  expect((await closed)[0]).toBe(0);
  expect(output).toBe(`${sent.toString()}half`);
  const lines = await recorder.finish();
  const bySender = (sender: string) =>
    lines.filter((line) => line.sender === sender).map(({ text, bytes }) => [text, bytes]);
  expect(bySender("client")).toEqual([
    ['{"a":"🦦"}', 13],
    ['{"b":2}', 8],
  ]);
  expect(bySender("server")).toEqual([
    ['{"a":"🦦"}', 13],
    ['{"b":2}', 8],
    ["half", 4],
  ]);
  expect(lines.every(({ at }) => at > 0 && at < now())).toBe(true);
  await expect(access(args[1] ?? "")).rejects.toThrow();
});

it("the tee exits with the exit code of the server, or with 127 if the server does not start", async () => {
  const exitOf = async (command: string, ...args: string[]): Promise<unknown> => {
    const recorder = await recordStdio({ command, args }, 0);
    const child = spawn(recorder.command.command, recorder.command.args ?? [], { stdio: ["pipe", "ignore", "ignore"] });
    const [code] = await once(child, "close");
    await recorder.finish();
    return code;
  };
  expect(await exitOf(process.execPath, "-e", "process.exit(7)")).toBe(7);
  expect(await exitOf("no-such-program-anywhere")).toBe(127);
});

it("parseTeeLog returns the complete lines of a truncated log", () => {
  const note = JSON.stringify({ at: 5, sender: "client", bytes: 3, text: "{}" });
  expect(parseTeeLog(`${note}\n{"at":6,"sen`, 2)).toEqual([
    { number: 1, at: 3, sender: "client", bytes: 3, text: "{}" },
  ]);
});
