import { afterEach, expect, test, vi } from "vitest";
import { createAuthFetch, createNameGuardedFetch, readJson } from "./auth-fetch.ts";

const url = "https://as.example/token";
const signal = new AbortController().signal;

test("redirects are not followed and do not count as responses (G-51)", async () => {
  for (const status of [301, 302, 307, 308]) {
    const fetch = vi.fn(async () => new Response(null, { status, headers: { location: "http://169.254.169.254/" } }));
    await expect(createAuthFetch({ fetch })(url)).rejects.toMatchObject({ code: "invalid_answer", status });
    expect(fetch).toHaveBeenCalledWith(url, expect.objectContaining({ redirect: "manual" }));
  }
});

test("nothing is sent to an insecure URL", async () => {
  const fetch = vi.fn();
  await expect(createAuthFetch({ fetch })("http://as.example/token")).rejects.toMatchObject({ code: "insecure_url" });
  expect(fetch).not.toHaveBeenCalled();
});

test("a response may have the maximum number of bytes and not one more", async () => {
  const fetch = async () => new Response("äää");
  expect(await (await createAuthFetch({ fetch, maxBytes: 6 })(url)).text()).toBe("äää");
  await expect(createAuthFetch({ fetch, maxBytes: 5 })(url)).rejects.toThrow(/larger than 5 bytes/);
});

test("a server that does not respond runs into the time limit", async () => {
  const fetch = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  await expect(createAuthFetch({ fetch, timeoutMs: 5 })(url)).rejects.toThrow(
    "https://as.example/token did not answer within 5 ms",
  );
  const giveUp = new AbortController();
  const given = createAuthFetch({ fetch })(url, { signal: giveUp.signal });
  giveUp.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
});

test("the error for an unreachable server names it without its query", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  await expect(createAuthFetch({ fetch })(`${url}?secret=1`)).rejects.toMatchObject({
    code: "invalid_answer",
    message: "https://as.example/token cannot be reached",
  });
});

test("a body that is no JSON object is no document", async () => {
  for (const text of ["[]", "7", "", "<html>", "null"]) {
    const fetch = createAuthFetch({ fetch: async () => new Response(text) });
    expect(await readJson(fetch, url, signal)).toEqual({ status: 200 });
  }
  const missing = createAuthFetch({ fetch: async () => Response.json({}, { status: 404 }) });
  expect(await readJson(missing, url, signal)).toEqual({ status: 404 });
});

afterEach(() => void vi.unstubAllGlobals());

test("the default fetch does not let a public server name a local address (G-51)", async () => {
  const fetch = vi.fn(async () => new Response("{}"));
  vi.stubGlobal("fetch", fetch);
  const guarded = createNameGuardedFetch(new URL("https://mcp.example/mcp"), ["http://127.0.0.1:9/realm"]);
  for (const host of [
    "http://127.0.0.1",
    "http://localhost:1",
    "https://2130706433",
    "https://10.0.0.1",
    "https://172.16.0.1",
    "https://192.168.1.1",
    "https://169.254.169.254",
    "https://100.100.100.200",
    "https://[::1]",
    "https://[::ffff:10.0.0.1]",
  ]) {
    await expect(guarded(`${host}/`, {}), host).rejects.toThrow("names a local address");
  }
  expect(fetch).not.toHaveBeenCalled();
  for (const url of ["https://as.example/", "https://172.32.0.1/", "http://127.0.0.1:9/token"]) await guarded(url, {});
  await createNameGuardedFetch(new URL("http://localhost:3000/mcp"), [])("http://127.0.0.1/", {});
  expect(fetch).toHaveBeenCalledTimes(4);
});
