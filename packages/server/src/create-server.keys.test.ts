// Which keys a server seals with, and how long what it sealed is good (E-27, E-28).
import { type InputRequiredResult, isInputRequired, type Result } from "@lethe/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createServer } from "./create-server.ts";
import type { ServerOptions } from "./server-options.ts";
import { callTool } from "./testing/call.ts";

const keyA = `a:${Buffer.alloc(32, 1).toString("base64url")}`;
const keyB = `b:${Buffer.alloc(32, 2).toString("base64url")}`;
const refused = { code: -32602, message: "invalid or expired requestState" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function machine(options: ServerOptions = {}) {
  return createServer({ name: "s", version: "1" }, options).tool("t", {
    handler: async (_, ctx) => `${(await ctx.roots()).length} roots`,
  });
}

type Machine = ReturnType<typeof machine>;

async function ask(server: Machine): Promise<InputRequiredResult> {
  const result = await callTool(server, "t", {}, { capabilities: { roots: {} } });
  if (!isInputRequired(result)) throw new Error(`input_required expected, got ${JSON.stringify(result)}`);
  return result;
}

function answer(server: Machine, { inputRequests = {}, requestState }: InputRequiredResult): Promise<Result> {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { roots: [] }]));
  const params = { inputResponses, requestState };
  return callTool(server, "t", {}, { capabilities: { roots: {} }, params });
}

describe("keys of a server", () => {
  it("creates keys for this process where the environment is not readable, as in Deno without that permission", async () => {
    const env = new Proxy({}, { get: () => expect.unreachable("not allowed") });
    const spy = vi.spyOn(process, "env", "get").mockReturnValue(env);
    const server = machine({ interaction: { onWarning: () => {} } });
    spy.mockRestore();
    expect(await answer(server, await ask(server))).toMatchObject({ content: [{ text: "0 roots" }] });
  });

  it("reads the keys from LETHE_KEYS when none are given", async () => {
    vi.stubEnv("LETHE_KEYS", `${keyA},${keyB}`);
    const asked = await ask(machine());
    expect(asked.requestState).toMatch(/^1\.a\./);
    vi.unstubAllEnvs();
    expect(await answer(machine({ keys: keyA }), asked)).toMatchObject({ content: [{ text: "0 roots" }] });
  });

  it("prefers given keys to LETHE_KEYS", async () => {
    vi.stubEnv("LETHE_KEYS", keyA);
    expect((await ask(machine({ keys: keyB }))).requestState).toMatch(/^1\.b\./);
  });

  it("rejects an invalid LETHE_KEYS when the server is created", () => {
    vi.stubEnv("LETHE_KEYS", "secret");
    expect(() => machine()).toThrow(new Error('key list (LETHE_KEYS, or the option keys), entry 1: "id:key" expected'));
  });

  it("accepts keys on a platform without an environment", async () => {
    vi.stubGlobal("process", undefined);
    try {
      expect(() => machine()).not.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("warns once about keys of this process only, with the first state that they seal", async () => {
    vi.stubEnv("LETHE_KEYS", "");
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const server = machine();
    expect(warn).not.toHaveBeenCalled();
    await answer(server, await ask(server));
    await ask(server);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/no other replica can open it.* Set LETHE_KEYS/)]]);
  });

  it("does not warn about configured keys", async () => {
    const warn = vi.spyOn(console, "warn");
    await ask(machine({ keys: keyA }));
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("keys from the environment of a platform", () => {
  const ping = () => new Request("http://localhost/mcp", { method: "PUT" });
  interface Env {
    readonly SECRET?: string;
  }
  const fromSecret = ({ SECRET }: Env) => SECRET;

  it("seals with the keys of the environment that the first request passes to server.fetch", async () => {
    const server = machine({ keys: fromSecret });
    await server.fetch(ping(), { SECRET: keyA });
    await server.fetch(ping(), { SECRET: keyB });
    const asked = await ask(server);
    expect(asked.requestState).toMatch(/^1\.a\./);
    expect(await answer(machine({ keys: keyA }), asked)).toMatchObject({ content: [{ text: "0 roots" }] });
  });

  it("reads process.env where the edge passes no environment", async () => {
    vi.stubEnv("SECRET", keyB);
    expect((await ask(machine({ keys: fromSecret }))).requestState).toMatch(/^1\.b\./);
  });

  it("rejects requests with 500 and reports why, until the environment has keys", async () => {
    const onError = vi.fn();
    const server = machine({ keys: fromSecret, onError });
    const response = await server.fetch(ping(), {});
    expect([response.status, await response.text()]).toEqual([500, "internal error"]);
    expect(onError.mock.calls).toEqual([
      [
        expect.objectContaining({ message: expect.stringMatching(/returned no keys.* server\.fetch/) }),
        { errorId: expect.any(String), method: "server.fetch", name: undefined },
      ],
    ]);
    expect((await server.fetch(ping(), { SECRET: keyA })).status).toBe(405);
  });

  it("reports an invalid key of the environment without showing it", async () => {
    const onError = vi.fn();
    const response = await machine({ keys: fromSecret, onError }).fetch(ping(), { SECRET: "k1:short" });
    expect(response.status).toBe(500);
    expect(String(onError.mock.calls[0]?.[0])).toMatch(/entry 1: a key of 32 bytes/);
    expect(String(onError.mock.calls[0]?.[0])).not.toContain("short");
  });
});

describe("sealed requestState", () => {
  it("opens sealed state for seal.ttlMs (E-28)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const server = machine({ keys: keyA, seal: { ttlMs: 50 } });
    const asked = await ask(server);
    vi.advanceTimersByTime(50);
    await expect(answer(server, asked)).rejects.toMatchObject(refused);
  });

  it("does not seal state larger than seal.maxBytes", async () => {
    const onError = vi.fn();
    const server = machine({ keys: keyA, seal: { maxBytes: 10 }, onError });
    expect(await callTool(server, "t", {}, { capabilities: { roots: {} } })).toMatchObject({ isError: true });
    expect(onError).toHaveBeenCalledWith(expect.any(RangeError), expect.anything());
  });
});
