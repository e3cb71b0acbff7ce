import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { checkRedis } from "../check-redis.ts";
import { startRedis } from "../testing/redis-server.ts";
import { createCertificate } from "../testing/redis-tls.ts";
import { connectRedis } from "./redis-connection.ts";

const forms = ["redis://ADDRESS", "redis+cluster://ADDRESS", "redis+sentinel://ADDRESS/main"];

it.each(forms)("says that %s expects TLS", async (form) => {
  const certificate = await createCertificate();
  onTestFinished(() => certificate.remove());
  const redis = await startRedis(undefined, [], certificate);
  onTestFinished(() => redis.stop());
  const url = form.replace("ADDRESS", `127.0.0.1:${redis.port}`);
  await expect(connectRedis({ url, timeoutMs: 300 })).rejects.toThrow(
    `Redis at ${url} cannot be used: it expects TLS; write "rediss" instead of "redis" in its URL`,
  );
});

it.each(forms)("says that the server of %s does not speak TLS", async (form) => {
  const redis = await startRedis(undefined, ["--requirepass", "secret"]);
  onTestFinished(() => redis.stop());
  const url = form.replace("ADDRESS", `127.0.0.1:${redis.port}`).replace("redis", "rediss");
  await expect(connectRedis({ url, timeoutMs: 300 })).rejects.toThrow(
    `Redis at ${url} cannot be used: it does not speak TLS; write "redis" instead of "rediss" in its URL`,
  );
});

it("checkRedis repeats what to write in the URL, without the address, which the caller names", async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const checked = await checkRedis({ url: redis.url.replace("redis", "rediss"), commandTimeoutMs: 300 });
  const problem = 'it does not speak TLS; write "redis" instead of "rediss" in its URL';
  expect(checked).toEqual({ isReached: false, problem });
});

it("advises no other scheme for a server that answers neither", async () => {
  const silent = createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  silent.listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const url = `rediss://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await expect(connectRedis({ url, timeoutMs: 300 })).rejects.toThrow(
    /; check that it runs and that its URL is correct$/,
  );
});
