// Connections over TLS, with a certificate that the client trusts or not.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningPostgres, startPostgres } from "../testing/postgres-server.ts";
import { connectPostgres } from "./postgres-connection.ts";

let folder: string;
let server: RunningPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-postgres-tls-"));
  const [key, certificate] = ["server.key", "server.crt"].map((name) => join(folder, name)) as [string, string];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", certificate];
  const flags = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject];
  execFileSync("openssl", flags, { stdio: "ignore" });
  server = await startPostgres({ tls: folder });
}, 120_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

test("encrypts every connection when the URL asks for a verified certificate", async () => {
  const root = encodeURIComponent(join(folder, "server.crt"));
  const postgres = await connectPostgres({ url: `${server.url}?sslmode=verify-full&sslrootcert=${root}` });
  const text =
    "SELECT count(*) FILTER (WHERE ssl) AS encrypted, count(*) AS all FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'lethe'";
  const [counts] = await postgres.run<{ encrypted: number; all: number }>({ name: "test_ssl", text }, []);
  expect(counts).toEqual({ encrypted: 2, all: 2 });
  await postgres.close();
});

test("rejects a server whose certificate is not trusted", async () => {
  const attempt = connectPostgres({ url: `${server.url}?sslmode=verify-full` });
  await expect(attempt).rejects.toThrow(/cannot be used: self.signed certificate/);
});
