// Tests lethe wrap (stdio to HTTP) and lethe bridge (HTTP to stdio).
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main as lethe, root, runLethe, startWrap } from "../processes/lethe.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";

const everything = ["node", join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")];
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function wrap(...args: string[]) {
  const wrapped = await startWrap(...args);
  cleanups.push(() => wrapped.stop());
  return wrapped;
}

describe("lethe wrap", () => {
  it("lethe wrap serves one stdio server statelessly with unprefixed names and leaves no process", async () => {
    const wrapped = await wrap("--", ...everything, "stdio");
    expect((await runLethe("call", wrapped.url, "echo", '{"message": "hello"}')).stdout).toBe("Echo: hello\n");
    const children = childrenOf(wrapped.child.pid as number);
    expect(children).toHaveLength(1);
    expect(await wrapped.stop()).toBe(0);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it("lethe wrap exits with the reason if its server does not start", async () => {
    expect(
      await runLethe("wrap", "--port", "0", "--", "node", "-e", "console.error('no key'); process.exit(3)"),
    ).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/error: node -e .* exited with code 3; it last wrote:\nno key\n$/),
    });
  });

  it("lethe wrap prints its usage without a command", async () => {
    expect(await runLethe("wrap")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("lethe wrap -- npx my-server"),
    });
  });
});

describe("lethe bridge", () => {
  it("lethe bridge serves a URL to a modern stdio client, including input requests", async () => {
    const { url } = await wrap("--", ...everything, "stdio");
    const client = await connect(
      { command: process.execPath, args: [lethe, "bridge", url] },
      { elicit: () => ({ action: "decline" }) },
    );
    cleanups.push(() => client.close());
    expect((await client.listTools()).map(({ name }) => name)).toContain("get-sum");
    const sum = await client.callTool("get-sum", { a: 2, b: 3 });
    expect(sum.content).toMatchObject([{ text: expect.stringContaining("5") }]);
    const heard: number[] = [];
    await client.callTool(
      "trigger-long-running-operation",
      { duration: 0.4, steps: 2 },
      { onProgress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toEqual([1, 2]);
    const asked = await client.callTool("trigger-elicitation-request", {});
    expect(JSON.stringify(asked.content)).toContain("decline");
  });

  it("lethe bridge connects to a legacy server directly", async () => {
    const port = await startOldServer();
    const client = await connect({
      command: process.execPath,
      args: [lethe, "bridge", `http://127.0.0.1:${port}/mcp`],
    });
    cleanups.push(() => client.close());
    const echo = await client.callTool("echo", { message: "old" });
    expect(echo.content).toMatchObject([{ text: "Echo: old" }]);
  });

  it.each(["2026-07-28", "legacy"])(
    "lethe bridge passes notifications of a %s client to the server",
    async (version) => {
      const gated = spawn(process.execPath, [join(root, "e2e/servers/gated.mjs")], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      cleanups.push(async () => gated.kill());
      const url = String((await once(gated.stdout, "data"))[0]).trim();
      const capabilities = { extensions: { "com.example/custom": {} } };
      const mode = version === "legacy" ? "legacy" : ({ pin: version } as const);
      const client = new Client(
        { name: "c", version: "1" },
        { versionNegotiation: { mode: mode as never }, capabilities },
      );
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [lethe, "bridge", url] }));
      cleanups.push(() => client.close());
      await client.notification({ method: "notifications/com.example/custom", params: { mark: "read" } } as never);
      const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
      const heard = () => client.request({ method: "com.example/custom.heard" } as never, anything as never);
      await vi.waitFor(async () => expect(JSON.stringify(await heard())).toContain("read"), { timeout: 5_000 });
    },
  );

  it("lethe bridge serves the official client over stdio", async () => {
    const { url } = await wrap("--", ...everything, "stdio");
    const client = new Client(
      { name: "official", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [lethe, "bridge", url], stderr: "ignore" }),
    );
    cleanups.push(() => client.close());
    const sum = await client.callTool({ name: "get-sum", arguments: { a: 2, b: 3 } });
    expect(sum.content).toMatchObject([{ text: expect.stringContaining("5") }]);
  });

  it("lethe bridge logs nothing when a legacy client disconnects, and explains a failed server", async () => {
    const wrapped = await wrap("--", ...everything, "stdio");
    const old = async () => {
      const transport = new OldStdioTransport({
        command: process.execPath,
        args: [lethe, "bridge", wrapped.url],
        stderr: "pipe",
      });
      const said: string[] = [];
      transport.stderr?.on("data", (text: Buffer) => said.push(String(text)));
      const client = new OldClient({ name: "old", version: "1.0.0" });
      await client.connect(transport);
      return { client, said };
    };
    const one = await old();
    await one.client.listTools();
    await one.client.close();
    expect(one.said.join("")).toBe("");
    const other = await old();
    cleanups.push(() => other.client.close());
    await wrapped.stop("SIGKILL");
    for (let times = 0; times < 2; times += 1) {
      await expect(other.client.callTool({ name: "echo", arguments: { message: "x" } })).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining(`"${wrapped.url}" cannot be reached`),
        data: { reason: "unavailable" },
      });
    }
    expect(other.said.join("")).toMatch(/^(! .*\n){1,3}$/);
  });

  it("lethe bridge exits with an error if it reaches no server", async () => {
    const { code, stderr } = await runLethe("bridge", "http://127.0.0.1:1/mcp");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("127.0.0.1:1") });
  });
});

/** The everything server over Streamable HTTP of its revision, with sessions. */
async function startOldServer(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const [command = "", ...args] = everything;
  const child: ChildProcess = spawn(command, [...args, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  cleanups.push(async () => {
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes(String(port))) resolve();
    });
    child.on("close", () => reject(new Error("the old server ended")));
  });
  return port;
}
