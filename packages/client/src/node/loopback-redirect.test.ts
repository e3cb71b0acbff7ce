import { createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { createLoopbackRedirect } from "./loopback-redirect.ts";

const signal = new AbortController().signal;
const target = new URL("https://as.example/authorize?state=s1");

/** The user's browser, which first goes wrong ways. */
async function visit(url: URL, query: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(new URL(query, url));
  return { status: response.status, text: await response.text(), headers: response.headers };
}

test("the user is redirected to this machine, and the listener closes afterwards", async () => {
  const open = vi.fn();
  const { redirectUrl, redirect } = createLoopbackRedirect({ open });
  const url = await redirectUrl();
  expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect((await redirectUrl()).href).toBe(url.href);
  const back = redirect(target, { signal });
  const answer = await visit(url, "?code=c&state=s1&iss=x");
  expect((await back).href).toBe(`${url.href}?code=c&state=s1&iss=x`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'");
  expect(open).toHaveBeenCalledWith(target);
  await expect(fetch(url)).rejects.toThrow();
});

test("a request without the state is ignored, and the listener keeps waiting (G-43)", async () => {
  const { redirectUrl, redirect } = createLoopbackRedirect({ open: () => {} });
  const url = await redirectUrl();
  expect((await visit(url, "?code=c&state=s1")).status).toBe(404);
  const back = redirect(target, { signal });
  expect((await visit(url, "?code=evil&state=s2")).status).toBe(400);
  expect((await visit(url, "?code=<script>")).text).not.toContain("script");
  expect((await visit(url, "/favicon.ico")).status).toBe(404);
  await visit(url, "?error=access_denied&state=s1");
  expect((await back).searchParams.get("error")).toBe("access_denied");
});

test("each authorization has its own listener", async () => {
  const loopback = createLoopbackRedirect({ open: () => {}, path: "/back" });
  for (const code of ["a", "b"]) {
    const url = await loopback.redirectUrl();
    const back = loopback.redirect(target, { signal });
    await visit(url, `?code=${code}&state=s1`);
    expect((await back).searchParams.get("code")).toBe(code);
  }
});

test("a timeout, a cancelled request and a failing browser all end the wait", async () => {
  const late = createLoopbackRedirect({ open: () => {}, timeoutMs: 5 });
  await expect(late.redirect(target, { signal })).rejects.toMatchObject({ code: "timeout", reason: "unauthorized" });
  const giveUp = new AbortController();
  const loopback = createLoopbackRedirect({ open: () => giveUp.abort(new Error("enough")) });
  const url = await loopback.redirectUrl();
  await expect(loopback.redirect(target, { signal: giveUp.signal })).rejects.toThrow("enough");
  await expect(fetch(url)).rejects.toThrow();
  const broken = createLoopbackRedirect({
    open: () => {
      throw new Error("no display");
    },
  });
  await expect(broken.redirect(target, { signal })).rejects.toThrow("no display");
});

test("the error for a used port names the port", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  const loopback = createLoopbackRedirect({ port });
  await expect(loopback.redirectUrl()).rejects.toMatchObject({
    code: "failed",
    message: expect.stringContaining(`port ${port}`),
  });
  await new Promise((resolve) => taken.close(resolve));
  const url = await loopback.redirectUrl();
  expect(url.port).toBe(String(port));
  await expect(loopback.redirect(target, { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
  await expect(fetch(url)).rejects.toThrow();
});
