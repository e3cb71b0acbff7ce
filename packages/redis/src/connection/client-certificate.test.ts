import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toTlsOptions } from "./client-certificate.ts";
import { connectRedis } from "./redis-connection.ts";

async function createFiles() {
  const folder = await mkdtemp(join(tmpdir(), "lethe-client-certificate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "client.crt"), join(folder, "client.key")];
  const write = (text: string) => Promise.all([certFile, keyFile].map((file) => writeFile(file, text)));
  await write("first");
  return { certFile, keyFile, write };
}

it("each connection has the certificate that its files have then", async () => {
  const { write, ...files } = await createFiles();
  const options = toTlsOptions(files);
  expect({ ...options }).toEqual({ cert: Buffer.from("first"), key: Buffer.from("first") });
  await write("renewed");
  expect({ ...options }).toEqual({ cert: Buffer.from("renewed"), key: Buffer.from("renewed") });
});

it("a client certificate is refused for a connection without TLS", async () => {
  const { write: _, ...clientCertificate } = await createFiles();
  await expect(connectRedis({ url: "redis://127.0.0.1:1", clientCertificate })).rejects.toThrow(
    'Redis at redis://127.0.0.1:1 cannot be used: a client certificate needs TLS; write "rediss" instead of "redis" in its URL',
  );
});

it("a file of a client certificate that cannot be read is named", async () => {
  const { certFile } = await createFiles();
  const clientCertificate = { certFile, keyFile: "/missing/client.key" };
  await expect(connectRedis({ url: "rediss://127.0.0.1:1", clientCertificate })).rejects.toThrow(
    "the file of the client certificate cannot be read: ENOENT: no such file or directory, open '/missing/client.key'",
  );
});

it("an incomplete client certificate is refused", async () => {
  const clientCertificate = { certFile: "client.crt" } as never;
  await expect(connectRedis({ url: "rediss://127.0.0.1:1", clientCertificate })).rejects.toThrow(
    'connectRedis: option "clientCertificate.keyFile": a string expected, got nothing',
  );
});
