// Connections over TLS, with a certificate that the client trusts or not.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCertificate, type TestCertificate } from "../../../redis/src/testing/redis-tls.ts";
import { type RunningPostgres, startPostgres } from "../testing/postgres-server.ts";
import { connectPostgres } from "./postgres-connection.ts";

let certificate: TestCertificate;
let server: RunningPostgres;

beforeAll(async () => {
  certificate = await createCertificate();
  server = await startPostgres({ tls: certificate.folder });
}, 120_000);
afterAll(async () => {
  await server.stop();
  await certificate.remove();
});

test("encrypts every connection when the URL asks for a verified certificate", async () => {
  const root = encodeURIComponent(certificate.certificateFile);
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
