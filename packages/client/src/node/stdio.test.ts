// Messages to and from a real process, line by line (C-1, C-2).
import { type JsonRpcMessage, type JsonRpcResponse, MemoryBudget } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createRequester } from "../call/requester.ts";
import { spawnServer } from "./spawn.ts";
import { createStdioWire, type StdioOptions } from "./stdio.ts";
import { echo, isRunning, script } from "./testing/scripts.ts";

async function wired(args: string[], options: StdioOptions = {}) {
  const server = await spawnServer({ command: process.execPath, args }, { stopTimeoutMs: 300 });
  const wire = createStdioWire(server, options);
  const messages: JsonRpcMessage[] = [];
  const waiting = new Set<() => void>();
  wire.onMessage = (message) => {
    messages.push(message);
    for (const check of waiting) check();
  };
  const received = (count: number) =>
    new Promise<JsonRpcMessage[]>((resolve) => {
      const check = () => messages.length >= count && resolve(messages);
      waiting.add(check);
      check();
    });
  return { server, wire, received };
}

describe("a stdio wire", () => {
  it("messages of any content pass in both directions in order", async () => {
    const { wire, received } = await wired(echo);
    const texts = ["a\nb", "é€😀", "\u2028", "x".repeat(200_000)];
    for (const [id, text] of texts.entries()) void wire.send({ jsonrpc: "2.0", id, method: "m", params: { text } });
    expect(await received(4)).toEqual(texts.map((text, id) => ({ jsonrpc: "2.0", id, result: { text } })));
    await wire.close();
    expect(await wire.closed).toMatchObject({ reason: "closed" });
  });

  it("lines that are no messages are skipped, counted and reported (C-2)", async () => {
    const junk: string[] = [];
    const lines = ["Server started!", "", '{"jsonrpc":"1.0"}', "[]", '{"half', "y".repeat(3_000)];
    const code = `for (const line of ${JSON.stringify(lines)}) write(line); write({ jsonrpc: "2.0", method: "m" }); read(() => {})`;
    const { wire, received } = await wired(script(code), { onJunk: (line) => junk.push(line), maxLineBytes: 2_000 });
    expect(await received(1)).toEqual([{ jsonrpc: "2.0", method: "m" }]);
    expect(junk).toEqual([...lines.slice(0, 5).filter(Boolean), "(a line of 3000 bytes)"]);
    expect(wire.junkLines).toBe(5);
    await wire.close();
  });

  it("a line that exceeds the memory budget is dropped, and nothing stays counted", async () => {
    const memory = new MemoryBudget(100_000);
    const junk: string[] = [];
    const code = `write("y".repeat(300_000)); write({ jsonrpc: "2.0", method: "m" }); read(() => {})`;
    const { wire, received } = await wired(script(code), { onJunk: (line) => junk.push(line), memory });
    expect(await received(1)).toEqual([{ jsonrpc: "2.0", method: "m" }]);
    expect(junk).toEqual([expect.stringMatching(/^\(a line of \d+ bytes\)$/)]);
    expect([memory.droppedCount, memory.heldBytes]).toEqual([1, 0]);
    await wire.close();
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":null}', "invalid"],
    ['{"jsonrpc":"2.0","id":1,"error":"boom"}', "invalid"],
    ['{"id":1,"result":{}}', "invalid"],
    [`{"jsonrpc":"2.0","id":1,"result":{"text":"${"y".repeat(3_000)}"}}`, "too_large"],
  ])("an answer that is none ends its request at once, and no other", async (line, reason) => {
    const code = `read(({ id }) => id === 1 ? write(${JSON.stringify(line)}) : write({ jsonrpc: "2.0", id, result: {} }))`;
    const { wire } = await wired(script(code), { maxLineBytes: 2_000 });
    const requester = createRequester(wire);
    wire.onMessage = (message) => requester.settle(message as JsonRpcResponse);
    await expect(requester.request(1, "a", undefined)).rejects.toMatchObject({ reason });
    expect(await requester.request(2, "b", undefined)).toEqual({});
    expect(wire.junkLines).toBe(1);
    await wire.close();
  });

  it("a request that is nested too deeply is answered, so that its server does not wait", async () => {
    const nested = '"[".repeat(20_000) + "]".repeat(20_000)';
    const ask = `write('{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"a":' + ${nested} + "}}")`;
    const { wire, received } = await wired(
      script(`${ask}; read(({ id, error }) => write({ jsonrpc: "2.0", method: "got", params: { id, error } }))`),
    );
    const error = { code: -32600, message: expect.stringContaining("nested deeper than 1000 levels") };
    expect(await received(1)).toEqual([{ jsonrpc: "2.0", method: "got", params: { id: "q", error } }]);
    await wire.close();
  });

  it("several messages in one array are accepted (D-31)", async () => {
    const batch = [
      { jsonrpc: "2.0", method: "a" },
      { jsonrpc: "2.0", id: 1, result: {} },
    ];
    const { wire, received } = await wired(script(`write(${JSON.stringify(batch)}); read(() => {})`));
    expect(await received(2)).toEqual(batch);
    await wire.close();
  });

  it("a wire ends with its server's output, even if the process keeps running (C-8)", async () => {
    const { wire, server } = await wired(script("process.stdout.end(); setInterval(() => {}, 1000)"));
    expect(await wire.closed).toMatchObject({ reason: "lost" });
    expect(isRunning(server.pid)).toBe(false);
  });

  it("a last message without a line end is read", async () => {
    const { wire, received } = await wired(
      script(`process.stdout.write('{"jsonrpc":"2.0","method":"m"}'); lines.close()`),
    );
    await wire.closed;
    expect(await received(1)).toEqual([{ jsonrpc: "2.0", method: "m" }]);
  });

  it("the end of a wire reports the exit and the last output of the process", async () => {
    const { wire } = await wired(
      script("for (let i = 0; i < 30; i++) console.error('words ' + i); process.exitCode = 4; lines.close()"),
    );
    const error = await wire.closed;
    expect(error).toMatchObject({ name: "TransportError", reason: "lost" });
    expect(error.message).toMatch(/exited with code 4; it last wrote:\nwords 10\n(words [12]\d\n){18}words 29$/);
    expect(() => wire.send({ jsonrpc: "2.0", method: "m" })).toThrow(error);
  });

  it("a wire ends if the process echoes its input, and no echo is answered", async () => {
    const server = await spawnServer({ command: "cat" }, { stopTimeoutMs: 300 });
    const wire = createStdioWire(server);
    wire.onMessage = vi.fn();
    void wire.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(await wire.closed).toMatchObject({
      reason: "invalid",
      message: "cat does not speak MCP: it echoes its input",
    });
    expect(wire.onMessage).not.toHaveBeenCalled();
  });

  it("writing to an exited process does not throw", async () => {
    const { server, wire } = await wired(script("process.stdin.destroy(); setTimeout(() => {}, 100)"));
    for (let i = 0; i < 50; i++) void wire.send({ jsonrpc: "2.0", method: "x".repeat(10_000) });
    process.kill(server.pid, "SIGKILL");
    expect((await wire.closed).message).toContain("was killed by SIGKILL");
  });

  it("small messages of one event-loop turn share a write, and large ones are written at once", async () => {
    const { server, wire, received } = await wired(echo);
    const write = vi.spyOn(server.stdin, "write");
    for (let id = 0; id < 10; id++) void wire.send({ jsonrpc: "2.0", id, method: "m" });
    expect(write).toHaveBeenCalledTimes(0);
    await received(10);
    expect(write).toHaveBeenCalledTimes(1);
    void wire.send({ jsonrpc: "2.0", id: 10, method: "m", params: { text: "x".repeat(5_000) } });
    expect(write).toHaveBeenCalledTimes(2);
    await wire.close();
  });

  it("a sender waits, within a limit, for a process that does not read", async () => {
    const { wire } = await wired(script("lines.close(); process.stdin.pause(); setInterval(() => {}, 1000)"), {
      maxWaiting: 1_000_000,
    });
    const big = { jsonrpc: "2.0" as const, method: "x".repeat(600_000) };
    for (let times = 0; times < 3; times++) expect(wire.send(big)).toBeInstanceOf(Promise);
    expect(() => wire.send(big)).toThrow("does not read its input");
    await wire.close();
  });
});
