import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { createCertificate } from "../testing/redis-tls.ts";
import { driverOptions, openDriver } from "./open-driver.ts";

it("a connection whose certificate was refused survives the error of an alert that arrives afterwards", async () => {
  const { keyFile, certificateFile, remove } = await createCertificate();
  onTestFinished(remove);
  const server = createServer({ key: await readFile(keyFile), cert: await readFile(certificateFile) });
  server.on("tlsClientError", () => {}).on("secureConnection", (socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `rediss://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const driver = openDriver({ kind: "single", url }, { ...driverOptions(2_000), retryStrategy: () => null });
  const failed = once(driver, "error").catch((error: Error) => [error]);
  driver.connect().catch(() => {});
  expect(String((await failed)[0])).toMatch(/self.signed/);
  const { stream } = driver;
  driver.disconnect();
  expect(() => stream.emit("error", new Error("alert"))).not.toThrow();
});
