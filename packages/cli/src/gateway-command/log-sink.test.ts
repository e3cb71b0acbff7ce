import type { LogEntry, LogSink } from "@lethe/gateway";
import { describe, expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { createLogSink, type LogSinkOptions } from "./log-sink.ts";

function create(options: Partial<LogSinkOptions> = {}): { sink: LogSink; written: string[] } {
  const written: string[] = [];
  const sink = createLogSink({
    ...{ format: undefined, style: createStyle({ isTTY: false }), isVerbose: false, hasTold: () => true },
    endsOnFailure: false,
    write: (text) => void written.push(text),
    ...options,
  });
  return { sink, written };
}

const entryOf = (event: string, fields: Partial<LogEntry>): LogEntry => ({ time: "", level: "info", event, ...fields });
const failed = (reason: string) =>
  entryOf("upstream.failed", { level: "error", message: `up: ${reason}`, upstream: "up", reason, restartInMs: 500 });
const ready = entryOf("upstream.ready", { message: "up is ready", upstream: "up" });

describe("the log at a terminal", () => {
  it("repeated failures of a server are printed once, until it is ready or fails in another way", () => {
    const { sink, written } = create();
    for (const entry of [failed("no token"), failed("no token"), failed("no file"), ready, failed("no file")])
      sink(entry);
    const again = "\n  retrying with exponential backoff\n";
    expect(written).toEqual([
      `✗ up: no token${again}`,
      `✗ up: no file${again}`,
      "✓ up is ready\n",
      `✗ up: no file${again}`,
    ]);
  });

  it("prints a failure once if only digits differ, as in the name of npm's log file", () => {
    const { sink, written } = create();
    const npm = (time: string) =>
      `npx -y gone exited with code 1: npm error E404\n/root/.npm/_logs/${time}-debug-0.log`;
    for (const reason of ["2026-11-22T10_00_01_123Z", "2026-11-22T10_00_31_456Z"]) sink(failed(npm(reason)));
    expect(written).toHaveLength(1);
    sink(failed("another reason"));
    expect(written).toHaveLength(2);
  });

  it("a failure that ends the command is left to the final message, later ones are printed", () => {
    let hasTold = false;
    const { sink, written } = create({ endsOnFailure: true, hasTold: () => hasTold });
    sink(failed("no token"));
    sink(entryOf("gateway.stopping", { message: "stopping" }));
    expect(written).toEqual([]);
    hasTold = true;
    sink(failed("no file"));
    expect(written).toHaveLength(1);
  });

  it("events that the banner contains are not printed before it, and requests only with --verbose", () => {
    const entries = [
      entryOf("upstream.verdict", { message: "up is STATEFUL" }),
      entryOf("request", { method: "tools/list", outcome: "complete", ms: 1 }),
    ];
    const quiet = create({ hasTold: () => false });
    const verbose = create({ isVerbose: true });
    for (const entry of entries) {
      quiet.sink(entry);
      verbose.sink(entry);
    }
    expect(quiet.written).toEqual([]);
    expect(verbose.written).toEqual(["  up is STATEFUL\n", "tools/list: complete in 1 ms\n"]);
  });
});

describe("the log for collectors", () => {
  it("every event is a line, including repeated ones", () => {
    const { sink, written } = create({ format: "json", hasTold: () => false });
    for (const entry of [failed("no token"), failed("no token"), ready]) sink(entry);
    expect(written.map((line) => JSON.parse(line).event)).toEqual([
      "upstream.failed",
      "upstream.failed",
      "upstream.ready",
    ]);
  });
});
