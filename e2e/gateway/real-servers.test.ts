// Tests the gateway in front of three real legacy servers with the CLI, curl and the official client.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runLethe, startGateway } from "../processes/lethe.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";

const config = "examples/gateway/servers.json";
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway(config);
});
afterAll(async () => {
  await gateway?.stop();
});

describe("the commands printed at the start", () => {
  it("lethe call prints the server's answer", async () => {
    const { code, stdout } = await runLethe("call", gateway.url, "everything__echo", '{"message": "hello"}');
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Echo: hello\n" });
  });

  it("curl prints the server's answer", async () => {
    const { execFile } = await import("node:child_process");
    const command = gateway.output.stdout.slice(
      gateway.output.stdout.indexOf("curl"),
      gateway.output.stdout.indexOf("Ctrl-C"),
    );
    const answer = await new Promise<string>((resolve, reject) => {
      execFile("sh", ["-c", command], (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
    expect(JSON.parse(answer)).toMatchObject({
      id: 1,
      result: { resultType: "complete", content: [{ type: "text", text: "Echo: hello" }] },
    });
  });

  it("lethe list shows the tools of every server", async () => {
    const { code, stdout } = await runLethe("list", gateway.url);
    expect(code).toBe(0);
    for (const name of ["everything__get-sum", "files__read_text_file", "memory__create_entities"]) {
      expect(stdout).toContain(name);
    }
  });

  it("lethe list of one server shows unprefixed names", async () => {
    const { stdout } = await runLethe("list", `${gateway.url}/files`);
    expect(stdout).toContain("  read_text_file");
    expect(stdout).not.toContain("everything");
  });
});

describe("the official client in modern mode", () => {
  let client: Client;

  beforeAll(async () => {
    client = new Client(
      { name: "official", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  });
  afterAll(() => client.close());

  it("the official client in modern mode lists and calls tools of all three servers", async () => {
    const { tools } = await client.listTools();
    expect(new Set(tools.map(({ name }) => name.split("__")[0]))).toEqual(new Set(["everything", "files", "memory"]));
    const sum = await client.callTool({ name: "everything__get-sum", arguments: { a: 2, b: 3 } });
    expect(sum.content).toMatchObject([{ type: "text", text: expect.stringContaining("5") }]);
    const file = await client.callTool({
      name: "files__read_text_file",
      arguments: { path: "welcome.txt" },
    });
    expect(JSON.stringify(file.content)).toContain("server-filesystem");
  });

  it("the official client in modern mode reads resources and templates, gets prompts and completes their arguments", async () => {
    const { resources } = await client.listResources();
    const first = resources[0];
    const { contents } = await client.readResource({ uri: first?.uri ?? "" });
    expect(contents[0]?.uri).toBe(first?.uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes("text"));
    const uri = template?.uriTemplate.replace(/\{[^}]*\}/, "1") ?? "";
    expect((await client.readResource({ uri })).contents[0]?.uri).toBe(uri);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("everything__simple-prompt");
    const prompt = await client.getPrompt({ name: "everything__simple-prompt" });
    expect(prompt.messages.length).toBeGreaterThan(0);
    const completed = await client.complete({
      ref: { type: "ref/prompt", name: "everything__completable-prompt" },
      argument: { name: "department", value: "E" },
    });
    expect(completed.completion.values).toContain("Engineering");
  });

  it("the official client in modern mode receives the progress of a call", async () => {
    const heard: number[] = [];
    await client.callTool(
      { name: "everything__trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  it("the official client in modern mode receives a tool error as a result and an unknown tool as an error", async () => {
    const missing = await client.callTool({ name: "files__read_text_file", arguments: { path: "/etc/passwd" } });
    expect(missing.isError).toBe(true);
    await expect(client.callTool({ name: "files__nothing", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("the processes of the gateway", () => {
  it("the gateway restarts a killed server, with a log line, without stopping the others", async () => {
    const victim = childrenOf(gateway.child.pid as number).find(({ command }) => command.includes("server-memory"));
    process.kill(victim?.pid as number, "SIGKILL");
    await expect
      .poll(() => gateway.output.stderr, { timeout: 10_000 })
      .toMatch(/✗ memory: [\s\S]*retrying with exponential backoff/);
    const other = await runLethe("call", gateway.url, "everything__echo", '{"message": "still here"}');
    expect(other.stdout).toBe("Echo: still here\n");
    await expect
      .poll(async () => (await runLethe("call", gateway.url, "memory__read_graph")).code, { timeout: 20_000 })
      .toBe(0);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("the processes of the gateway end with it on %s", async (signal) => {
    const own = await startGateway(config);
    const children = childrenOf(own.child.pid as number);
    expect(children).toHaveLength(3);
    expect(await own.stop(signal)).toBe(0);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it("the other servers continue if one server cannot start, with a log line", async () => {
    const { writeFile, mkdtemp, rm } = await import("node:fs/promises");
    const { tmpdir } = await import("node:os");
    const folder = await mkdtemp(`${tmpdir()}/lethe-e2e-`);
    const servers = {
      everything: {
        command: "node",
        args: [`${process.cwd()}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`, "stdio"],
      },
      broken: { command: "node", args: ["-e", "console.error('no such luck'); process.exit(7)"] },
      missing: { command: "no-such-command-anywhere" },
    };
    await writeFile(`${folder}/servers.json`, JSON.stringify({ mcpServers: servers }));
    const own = await startGateway(`${folder}/servers.json`);
    try {
      expect(own.output.stderr).toMatch(/✗ broken: [\s\S]*no such luck/);
      expect(own.output.stderr).toMatch(/✗ missing: .*no-such-command-anywhere/);
      expect((await runLethe("call", own.url, "everything__echo", '{"message": "x"}')).stdout).toBe("Echo: x\n");
    } finally {
      await own.stop();
      await rm(folder, { recursive: true });
    }
  });
});

describe("an error in the configuration", () => {
  it("the gateway reports an error in the configuration with the file and the expected value, and exits with code 1", async () => {
    const { code, stderr } = await runLethe("gateway", "--config", "no-such-file.json");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: no-such-file.json: no such file\n" });
  });
});
