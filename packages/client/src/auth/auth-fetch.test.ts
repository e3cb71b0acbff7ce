import { expect, test, vi } from "vitest";
import { createAuthFetch, readJson } from "./auth-fetch.ts";

const url = "https://as.example/token";
const signal = new AbortController().signal;

test("redirects are not followed, and not taken for answers (G-51)", async () => {
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

test("an answer may have as many bytes as allowed, and not one more", async () => {
  const fetch = async () => new Response("äää");
  expect(await (await createAuthFetch({ fetch, maxBytes: 6 })(url)).text()).toBe("äää");
  await expect(createAuthFetch({ fetch, maxBytes: 5 })(url)).rejects.toThrow(/larger than 5 bytes/);
});

test("silence has an end", async () => {
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

test("a server that cannot be reached is named without its query", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  await expect(createAuthFetch({ fetch })(`${url}?secret=1`)).rejects.toMatchObject({
    code: "invalid_answer",
    message: "https://as.example/token cannot be reached",
  });
});

test("what is no JSON object is no document", async () => {
  for (const text of ["[]", "7", "", "<html>", "null"]) {
    const fetch = createAuthFetch({ fetch: async () => new Response(text) });
    expect(await readJson(fetch, url, signal)).toEqual({ status: 200 });
  }
  const missing = createAuthFetch({ fetch: async () => Response.json({}, { status: 404 }) });
  expect(await readJson(missing, url, signal)).toEqual({ status: 404 });
});
