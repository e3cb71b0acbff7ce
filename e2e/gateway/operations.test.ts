// The gateway as operators run it: a process, changing files, signals, logs, and the paths beside the endpoints.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { connectRedis } from "@lethe/redis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { main, type RunningGateway, root, runLethe, runLetheWith, startGateway } from "../processes/lethe.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";

const modules = join(root, "node_modules/@modelcontextprotocol");
const everything = { command: "node", args: [join(modules, "server-everything/dist/index.js"), "stdio"] };
const files = { command: "node", args: [join(modules, "server-filesystem/dist/index.js"), root] };
const memory = (file: string) => ({
  command: "node",
  args: [join(modules, "server-memory/dist/index.js")],
  env: { MEMORY_FILE_PATH: file },
});

let folder: string;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-ops-"));
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await rm(folder, { recursive: true });
});

async function write(document: object): Promise<string> {
  const file = join(folder, "lethe.json");
  await writeFile(file, JSON.stringify(document, null, 2));
  return file;
}

async function start(document: object, ...args: string[]): Promise<RunningGateway> {
  gateway = await startGateway(await write(document), ...args);
  return gateway;
}

const at = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, gateway?.url), { headers });
const pidOf = ({ child }: RunningGateway, word: string) =>
  childrenOf(child.pid as number).find(({ command }) => command.includes(word))?.pid;

/** Runs a call that takes `seconds` and returns its result or error. */
async function callLong(url: string, seconds: number): Promise<{ begun: Promise<void>; text: Promise<string> }> {
  const client = await connect(url);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const result = client.callTool(
    "everything__trigger-long-running-operation",
    { duration: seconds, steps: seconds * 5 },
    { onProgress: () => begin() },
  );
  return { begun, text: result.then(({ content }) => JSON.stringify(content)).finally(() => client.close()) };
}

describe("a changed configuration file", () => {
  it("a changed configuration file adds, changes and removes servers during a call to another server", async () => {
    const own = await start({ mcpServers: { everything, memory: memory(join(folder, "one.jsonl")) } });
    const before = { everything: pidOf(own, "server-everything"), memory: pidOf(own, "server-memory") };
    const { begun, text } = await callLong(own.url, 4);
    await begun;

    await write({ mcpServers: { everything, memory: memory(join(folder, "two.jsonl")), files } });
    await expect.poll(() => own.output.stderr).toContain("the configuration is applied: added files; changed memory");
    await expect.poll(async () => (await runLethe("list", own.url)).stdout).toContain("files__read_text_file");
    await expect.poll(() => isAlive(before.memory as number)).toBe(false);
    expect((await runLethe("call", own.url, "memory__read_graph")).code).toBe(0);

    await write({ mcpServers: { everything, files } });
    await expect.poll(() => own.output.stderr).toContain("the configuration is applied: removed memory");
    await expect.poll(() => pidOf(own, "server-memory")).toBeUndefined();
    expect((await runLethe("list", own.url)).stdout).not.toContain("memory__");

    expect(await text).toContain("Long running operation completed");
    expect(pidOf(own, "server-everything")).toBe(before.everything);
  });

  it("the gateway reports an error in a changed file with its line, keeps its configuration, and reads the file again on SIGHUP", async () => {
    const own = await start({ mcpServers: { everything } });
    const pid = pidOf(own, "server-everything");
    await write({ mcpServers: { everything, broken: {} }, gateway: { prot: 1 } });
    await expect.poll(() => own.output.stderr).toMatch(/lethe\.json:\d+: mcpServers\.broken must have a "command"/);
    await expect.poll(() => own.output.stderr).toContain('gateway.prot is not known; did you mean "port"?');
    expect((await runLethe("call", own.url, "everything__echo", '{"message": "x"}')).stdout).toBe("Echo: x\n");
    own.child.kill("SIGHUP");
    await expect.poll(() => own.output.stderr.match(/is not applied/g)).toHaveLength(2);
    expect(pidOf(own, "server-everything")).toBe(pid);
  });
});

describe("SIGTERM", () => {
  it("SIGTERM lets a pending call finish while /readyz reports not ready, and leaves no process", async () => {
    const own = await start({ mcpServers: { everything }, gateway: { shutdown: { delayMs: 500, graceMs: 20_000 } } });
    const children = childrenOf(own.child.pid as number);
    const { begun, text } = await callLong(own.url, 3);
    await begun;
    const stopped = own.stop("SIGTERM");
    await expect.poll(async () => (await at("/readyz")).status).toBe(503);
    expect((await at("/healthz")).status).toBe(200);
    expect(await text).toContain("Long running operation completed");
    expect(await stopped).toBe(0);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it("signals that arrive together, as those to a process and its group, count as one", async () => {
    const own = await start({ mcpServers: { everything } });
    const { begun, text } = await callLong(own.url, 1);
    await begun;
    own.child.kill("SIGINT");
    expect(await own.stop("SIGTERM")).toBe(0);
    expect(await text).toContain("Long running operation completed");
  });

  it("SIGTERM without a grace period leaves sessions that the next gateway ends", async () => {
    const code = `
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id } = JSON.parse(line);
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    `;
    const document = { mcpServers: { stubborn: { command: "node", args: ["-e", code] } } };
    const killed = await start(document);
    const [left] = childrenOf(killed.child.pid as number);
    await killed.stop("SIGKILL");
    expect(isAlive(left?.pid as number)).toBe(true);
    const next = await start(document);
    expect(next.output.stderr).toContain(`ended process ${left?.pid} of stubborn`);
    await expect.poll(() => isAlive(left?.pid as number)).toBe(false);
  });

  it("SIGTERM during the start ends the gateway without a list of its servers", async () => {
    const hanging = { command: "node", args: ["-e", "console.error('up'); setInterval(() => {}, 1000)"] };
    const file = await write({ mcpServers: { hanging }, gateway: { port: 0 } });
    const child = spawn(process.execPath, [main, "gateway", "--config", file, "--log", "json", "--verbose"]);
    let [said, told] = ["", ""];
    child.stdout.on("data", (text) => {
      said += text;
    });
    child.stderr.on("data", (text) => {
      told += text;
      if (told.includes('"message":"up"') && !child.killed) child.kill("SIGTERM");
    });
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([0, ""]);
    const events = told
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event);
    expect(events.slice(-2)).toEqual(["gateway.stopping", "gateway.stopped"]);
  });

  it("SIGTERM aborts calls that exceed the grace period", async () => {
    const own = await start({ mcpServers: { everything }, gateway: { shutdown: { graceMs: 200 } } });
    const { begun, text } = await callLong(own.url, 30);
    await begun;
    const failed = text.then(
      () => false,
      () => true,
    );
    expect(await own.stop("SIGTERM")).toBe(0);
    expect(await failed).toBe(true);
  });
});

describe("workers whose parent ends", () => {
  /** Starts workers, one of which runs a call that takes longer than the test may. Returns all processes below the parent. */
  async function startBusy(): Promise<{ own: RunningGateway; below: number[] }> {
    const own = await start(
      { mcpServers: { everything }, gateway: { shutdown: { delayMs: 60_000, graceMs: 60_000 } } },
      ...["--workers", "2"],
    );
    const { begun, text } = await callLong(own.url, 120);
    void text.catch(() => {});
    await begun;
    const workers = childrenOf(own.child.pid as number).map(({ pid }) => pid);
    return { own, below: [...workers, ...workers.flatMap((pid) => childrenOf(pid).map((child) => child.pid))] };
  }
  const patience = { timeout: 20_000, interval: 100 };

  it("workers whose parent is killed end without waiting for their calls, and so do their servers", async () => {
    const { own, below } = await startBusy();
    expect(below.length).toBeGreaterThan(2);
    own.child.kill("SIGKILL");
    await expect.poll(() => below.filter(isAlive), patience).toEqual([]);
  });

  it("a second signal ends the parent, its workers and their servers although calls run", async () => {
    const { own, below } = await startBusy();
    own.child.kill("SIGTERM");
    await expect.poll(async () => (await at("/readyz")).status, patience).toBe(503);
    const stopAgain = () => {
      own.child.kill("SIGTERM");
      return own.child.exitCode;
    };
    await expect.poll(stopAgain, { ...patience, interval: 200 }).toBe(143);
    await expect.poll(() => below.filter(isAlive), patience).toEqual([]);
  });
});

describe("the output for operators", () => {
  it("the output for operators logs each request as one line of JSON without arguments or secrets", async () => {
    const key = "key-of-ci-0123456789";
    const document = { mcpServers: { everything }, gateway: { auth: { keys: [{ id: "ci", key }] } } };
    const own = await start(document, "--log", "json");
    const header = ["--header", `Authorization: Bearer ${key}`];
    await runLethe("call", own.url, "everything__echo", '{"message": "private"}', ...header);
    await at("/mcp");
    const lines = own.output.stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual({
      time: expect.any(String),
      level: "info",
      event: "request",
      endpoint: "/mcp",
      method: "tools/call",
      name: "everything__echo",
      upstream: "everything",
      caller: "key ci",
      ms: expect.any(Number),
      outcome: "complete",
    });
    expect(lines).toContainEqual(expect.objectContaining({ event: "upstream.ready", upstream: "everything" }));
    expect(own.output.stderr).not.toContain("private");
    expect(own.output.stderr).not.toContain(key);
  });

  it("the output for operators names a stateful server and the consequences", async () => {
    const own = await start({ mcpServers: { everything } });
    expect(own.output.stdout).toContain(
      "! everything: without gateway.auth callers are anonymous: all share one process and see what others do there",
    );
  });

  it("the output for operators lists calls with pending input requests", async () => {
    const upstreams = { everything: { sessions: { turnWaitMs: 500 } } };
    const own = await start({ mcpServers: { everything }, gateway: { pendingCalls: { max: 1 }, upstreams } });
    const client = await connect(own.url, { elicit: () => ({ action: "decline" }) });
    const asked = await client.callTool("everything__trigger-elicitation-request", {}, { manual: true });
    expect(asked.resultType).toBe("input_required");
    const { pendingCalls } = (await (await at("/admin/v1/pending-calls")).json()) as { pendingCalls: object[] };
    expect(pendingCalls).toEqual([
      {
        id: expect.any(String),
        call: expect.any(String),
        replica: expect.any(String),
        upstream: "everything",
        session: expect.stringMatching(/^[0-9a-f]{8}$/),
        method: "tools/call",
        name: "everything__trigger-elicitation-request",
        asks: ["elicitation/create"],
        inputRequests: {
          [Object.keys(asked.inputRequests ?? {})[0] ?? ""]: {
            method: "elicitation/create",
            params: expect.any(Object),
          },
        },
        since: expect.any(String),
        expires: expect.any(String),
      },
    ]);
    const oneTooMany = client.callTool("everything__trigger-elicitation-request", {}, { manual: true });
    await expect(oneTooMany).rejects.toMatchObject({ data: { reason: "busy", upstream: "everything" } });
    expect(await (await at("/metrics")).text()).toContain('lethe_pending_calls{upstream="everything"} 1');
    await client.close();
  });

  it("the output for operators includes metrics, states and the stderr of servers", async () => {
    const chatty = { command: "node", args: ["-e", "console.error('no such luck'); process.exit(7)"] };
    const own = await start({ mcpServers: { everything, chatty } });
    await runLethe("call", own.url, "everything__echo", '{"message": "x"}');
    const metrics = await (await at("/metrics")).text();
    expect(metrics).toContain('lethe_requests_total{method="tools/call",upstream="everything",outcome="complete"} 1');
    expect(metrics).toContain('lethe_upstream_up{upstream="chatty"} 0');
    expect(await (await at("/admin/v1/upstreams/chatty")).json()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("no such luck"),
      stderr: expect.arrayContaining(["no such luck"]),
    });
  });
});

describe("a Redis that replicas share", () => {
  let redis: RunningRedis | undefined;
  afterEach(() => redis?.stop());
  const keys = { LETHE_KEYS: `k1:${Buffer.alloc(32, 4).toString("base64url")}` };
  const server = { mcpServers: { files } };

  const check = (env: Record<string, string>, file: string) =>
    runLetheWith(env, "gateway", "check", "--config", file, "--port", "0");

  it("a gateway does not start with an unusable Redis, and check says so", async () => {
    redis = await startRedis();
    const url = `redis://nobody:secret-word@127.0.0.1:${redis.port}`;
    const refused = await check(keys, await write({ ...server, gateway: { redis: { url } } }));
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stdout).toContain(`✗ redis://***@127.0.0.1:${redis.port} is not reachable: `);
    expect(refused.stdout).not.toContain("secret-word");

    const env = { ...keys, LETHE_REDIS_URL: redis.url };
    const plain = await write(server);
    expect(await check(env, plain)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`✓ ${redis.url} is reachable\n`),
    });
    const { client, close } = await connectRedis({ url: redis.url });
    await client.config("SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
    const evicting = "Redis evicts keys when its memory is full (maxmemory-policy allkeys-lru)";
    expect(await check(env, plain)).toMatchObject({ code: 1, stdout: expect.stringContaining(evicting) });
    const started = await runLetheWith(env, "gateway", "--config", plain, "--port", "0");
    expect(started).toMatchObject({ code: 2, stdout: "" });
    expect(started.stderr).toMatch(
      /error: gateway\.redis: Redis evicts keys.+set noeviction, or gateway\.redis\.allowEviction/,
    );
    const allowing = await write({ ...server, gateway: { redis: { url: redis.url, allowEviction: true } } });
    expect(await check(keys, allowing)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^! Redis evicts keys/m),
    });
    await client.config("SET", "maxmemory-policy", "noeviction");

    await client.call("ACL", "SETUSER", "default", "-@scripting");
    expect(await check(env, await write(server))).toMatchObject({ code: 1, stdout: expect.stringContaining("NOPERM") });
    const forbidden = await runLetheWith(env, "gateway", "--config", await write(server), "--port", "0");
    expect(forbidden.stderr).toContain("error: gateway.redis: Redis denies a command to this account (NOPERM");
    close();
    await redis.stop();
    const failed = await runLetheWith(env, "gateway", "--config", await write(server), "--port", "0");
    expect(failed).toMatchObject({ code: 2, stdout: "" });
    expect(failed.stderr).toMatch(
      /error: gateway\.redis: Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be used: connect ECONNREFUSED 127\.0\.0\.1/,
    );
    const json = await runLetheWith(env, "gateway", "check", "--config", await write(server), "--json", "--port", "0");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ isValid: true, canStart: false, redis: { isReached: false } });
  });

  it("a gateway does not start with a Redis Cluster whose URL names a single Redis, and says how to write it", async () => {
    redis = await startRedis(undefined, ["--cluster-enabled", "yes"]);
    const env = { ...keys, LETHE_REDIS_URL: redis.url };
    const file = await write(server);
    const reason = "this is a Redis Cluster: write its URL as redis+cluster://host:port[,host:port]";
    expect(await check(env, file)).toMatchObject({ code: 1, stdout: expect.stringContaining(reason) });
    const started = await runLetheWith(env, "gateway", "--config", file, "--port", "0");
    expect(started.stderr).toBe(`error: gateway.redis: ${reason}\n`);
  });

  it("a gateway that shares a Redis requires keys", async () => {
    const file = await write(server);
    const env = { LETHE_REDIS_URL: "redis://127.0.0.1:1", LETHE_KEYS: "" };
    const { code, stderr } = await runLetheWith(env, "gateway", "--config", file);
    expect(code).toBe(1);
    expect(stderr).toContain("gateway.redis needs LETHE_KEYS, the same for all replicas");
  });
});

describe("lethe gateway check and init", () => {
  it("init writes a file that check accepts, and overwrites no file", async () => {
    const file = join(folder, "lethe.json");
    expect(await runLethe("gateway", "init", file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Wrote "),
    });
    const checked = await runLethe("gateway", "check", "--config", file, "--port", "0");
    expect(checked).toEqual({
      code: 0,
      stdout: "✓ everything  npx and 3 arguments\n  gateway: host, port\n",
      stderr: "",
    });
    const text = await readFile(file, "utf8");
    expect(await runLethe("gateway", "init", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exists already"),
    });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  it("check reports every error and no secrets", async () => {
    const file = await write({
      mcpServers: {
        a: { url: "https://h.example/mcp?key=hidden", headers: { Authorization: "Bearer hidden" } },
        b: {},
      },
      gateway: { log: "xml" },
    });
    const { code, stderr } = await runLethe("gateway", "check", "--config", file);
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(2);
    const asJson = await runLethe("gateway", "check", "--config", file, "--json");
    expect(asJson).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(asJson.stdout)).toEqual({
      ...{
        isValid: false,
        canStart: false,
        notes: [],
        unstartable: [],
        problems: [expect.stringContaining(": "), expect.stringContaining(": ")],
      },
    });
    await write({
      mcpServers: { a: { url: "https://h.example/mcp?key=hidden", headers: { Authorization: "hidden" } } },
    });
    const { stdout } = await runLethe("gateway", "check", "--config", file, "--port", "0");
    expect(stdout).toBe("✓ a  https://h.example/mcp with Authorization\n");
  });

  it("check reports ports in use and unreadable keys", async () => {
    const file = await write({ mcpServers: { a: { url: "https://h.example/mcp" } } });
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    const checked = await runLetheWith(
      { LETHE_KEYS: "short:key" },
      "gateway",
      "check",
      "--config",
      file,
      "--port",
      String(port),
    );
    busy.close();
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(`✗ cannot listen on port ${port} of 127.0.0.1: the port is in use\n`);
    expect(checked.stdout).toContain("✗ key list (LETHE_KEYS, or the option keys), entry 1: ");
  });

  it("a gateway with the same port for callers and administration does not start, and check says so", async () => {
    const admin = { port: 7411 };
    const file = await write({ mcpServers: { a: { url: "https://h.example/mcp" } }, gateway: { admin } });
    const problem =
      "gateway.admin.port must have another port than the gateway, which listens on 127.0.0.1:7411, got 7411\n";
    const words = ["--config", file, "--port", "7411"];
    expect(await runLethe("gateway", "check", ...words)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`✗ ${problem}`),
    });
    for (const workers of ["1", "2"]) {
      const started = await runLethe("gateway", ...words, "--workers", workers);
      expect(started).toMatchObject({ code: 1, stderr: `error: ${problem}` });
    }
  });

  it("reports a configuration that only a worker cannot read once, and ends with exit code 1", async () => {
    const file = await write({ mcpServers: { a: { url: "https://h.example/mcp" } } });
    // The parent reads the pipe, and a worker has no standard input.
    const line = 'cat "$1" | "$2" "$3" gateway --config /dev/stdin --port 0 --workers 2';
    const child = spawn("sh", ["-c", line, "sh", file, process.execPath, main], { stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    expect(await once(child, "close")).toEqual([1, null]);
    expect(stderr).toBe("error: /dev/stdin:1: is not JSON: value expected\n");
  });

  it("ends with exit code 1 if LETHE_KEYS is unreadable, alone and with workers", async () => {
    const file = await write({ mcpServers: { a: { url: "https://h.example/mcp" } } });
    for (const workers of ["1", "2"]) {
      const words = ["gateway", "--config", file, "--port", "0", "--workers", workers];
      const started = await runLetheWith({ LETHE_KEYS: "short:key" }, ...words);
      expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining("error: key list (LETHE_KEYS") });
    }
  });

  it("ends with exit code 2 if its port is in use, alone and with workers", async () => {
    const file = await write({ mcpServers: { a: { url: "https://h.example/mcp" } } });
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    for (const workers of ["1", "2"]) {
      const started = await runLetheWith({}, "gateway", "--config", file, "--port", `${port}`, "--workers", workers);
      expect(started.stderr).toBe(`error: cannot listen on port ${port} of 127.0.0.1: the port is in use\n`);
      expect(started.code).toBe(2);
    }
    busy.close();
  });

  it("lethe gateway check reads the inputs of a VS Code file from the command line", async () => {
    const file = await write({
      servers: { a: { command: "${input:cmd}" } },
      inputs: [{ id: "cmd", type: "promptString" }],
    });
    expect(await runLethe("gateway", "check", "--config", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("set LETHE_INPUT_CMD, or give --input cmd=VALUE"),
    });
    const { stdout } = await runLethe("gateway", "check", "--config", file, "--port", "0", "--input", "cmd=node");
    expect(stdout).toBe(`✓ a  node in ${folder}\n`);
    const missing = await runLethe("gateway", "check", "--config", file, "--input", "cmd=no-such-command");
    expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining('no command "no-such-command" in') });
  });

  it("lethe gateway suggests --config for a file and the nearest command for a typing error", async () => {
    for (const words of [["gateway"], ["gateway", "check"]]) {
      const { code, stderr } = await runLethe(...words, "servers.json");
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `error: servers.json must follow --config: lethe ${words.join(" ")} --config servers.json\n`,
      });
    }
    const { stderr } = await runLethe("gateway", "chek");
    expect(stderr).toBe('error: lethe gateway takes no "chek"; its commands are check, doctor, init and schema\n');
  });

  it("lethe gateway explains how to begin without a file", async () => {
    const { code, stderr } = await runLethe("gateway");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--config FILE is expected") });
  });
});
