import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { UpstreamConfig } from "../config/upstream-config.ts";
import { createConnector } from "./open-connection.ts";

const command = (code: string): UpstreamConfig => ({
  ...{ kind: "stdio", name: "up", command: process.execPath, args: ["-e", code], env: {} },
});

describe("a command", () => {
  it("that hangs is given up in the words of the gateway, with what it wrote last", async () => {
    const giveUp = new AbortController();
    const onStderr = () => giveUp.abort(new Error("it did not start within 9 ms"));
    const { open } = createConnector(command("console.error('proceed? (y)'); setInterval(() => {}, 1000)"), {
      onStderr,
    });
    await expect(open(giveUp.signal, undefined)).rejects.toThrow(
      /did not start within 9 ms; it last wrote:\nproceed\?/,
    );
  });

  it("that prints what is no message is told of once", async () => {
    const giveUp = new AbortController();
    const onWarning = vi.fn(() => giveUp.abort());
    const code = "console.log('hello'); console.log('world'); setInterval(() => {}, 1000)";
    const { open } = createConnector(command(code), { onWarning });
    await expect(open(giveUp.signal, undefined)).rejects.toMatchObject({ reason: "cancelled" });
    expect(onWarning.mock.calls).toEqual([["up", "writes to its stdout what is no message, which is skipped: hello"]]);
  });
});

it("a server over HTTP that hangs is given up", async () => {
  const server = createServer(() => giveUp.abort(new Error("it did not start within 9 ms"))).listen(0, "127.0.0.1");
  await vi.waitUntil(() => server.listening);
  const giveUp = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { open, close } = createConnector({ kind: "http", name: "up", url, headers: {} });
  await expect(open(giveUp.signal, undefined)).rejects.toMatchObject({ reason: "cancelled" });
  close();
  server.close();
});
