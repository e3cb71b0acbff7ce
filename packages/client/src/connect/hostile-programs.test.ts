// Programs that answer a call with anything but its result: what a client on stdio makes of it.
import { expect, test } from "vitest";
import { connect } from "../node/connect.ts";
import { server } from "../node/testing/eras.ts";
import { isRunning } from "../node/testing/scripts.ts";

const answers: [what: string, answer: string, error: object][] = [
  ["garbage", "write('{]')", { reason: "timeout" }],
  ["another id", "write({ jsonrpc: '2.0', id: 99, result: {} })", { reason: "timeout" }],
  ["a request of its own", "write({ jsonrpc: '2.0', id, method: 'roots/list' })", { reason: "timeout" }],
  ["a result that is none", "write({ jsonrpc: '2.0', id, result: 7 })", { reason: "invalid" }],
  ["a result of another method", "result({ tools: [] })", { reason: "invalid" }],
  ["a result of an unknown type", "result({ resultType: 'later' })", { reason: "invalid" }],
  ["a line without an end", "process.stdout.write('x'.repeat(100_000))", { reason: "timeout" }],
  [
    "progress without an end",
    "setInterval(() => write({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: performance.now() } }), 5)",
    { reason: "timeout" },
  ],
  [
    "a response that is nested too deeply",
    'write(`{ "jsonrpc": "2.0", "id": ${id}, "result": { "x": ${\'[\'.repeat(20_000)}${\']\'.repeat(20_000)} } }`)',
    { reason: "too_deep" },
  ],
  ["its end", "process.exit(3)", { reason: "lost" }],
  ["nothing at all", "", { reason: "timeout" }],
];

test.each(answers)(
  "%s is an error that names the program, in time, and leaves no process",
  // The client reports in time; a busy machine may need longer to start a program.
  { timeout: 30_000 },
  async (_what, answer, expected) => {
    const args = server({ "server/discover": "console.error(process.pid); result(discovered)", "tools/call": answer });
    const pids: number[] = [];
    const onStderr = (line: string) => void pids.push(Number(line));
    const time = "reason" in expected && expected.reason === "timeout" ? { timeoutMs: 100, maxTotalMs: 200 } : {};
    const limits = { ...time, connectTimeoutMs: 20_000 };
    const client = await connect({ command: process.execPath, args }, { ...limits, onStderr, onWarning: () => {} });
    const error: unknown = await client.callTool("t", {}, { onProgress: () => {} }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "TransportError", ...expected });
    expect((error as Error).message).toContain(process.execPath);
    await client.close();
    expect(pids.filter(isRunning)).toEqual([]);
    expect(pids).toHaveLength(1);
  },
);
