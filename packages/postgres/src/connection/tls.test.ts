// Connections over TLS, with a certificate that the client trusts or not.
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createCertificate, type TestCertificate } from "../../../redis/src/testing/redis-tls.ts";
import { checkPostgres } from "../check-postgres.ts";
import { type RunningPostgres, startPostgres } from "../testing/postgres-server.ts";
import { connectPostgres } from "./postgres-connection.ts";
import { UnusablePostgresError } from "./unusable-postgres-error.ts";

let certificate: TestCertificate;
let server: RunningPostgres;

beforeAll(async () => {
  certificate = await createCertificate();
  const access = [
    "hostssl all guarded 127.0.0.1/32 trust",
    "hostnossl all bare 127.0.0.1/32 trust",
    "host all asked 127.0.0.1/32 scram-sha-256",
    "host all lethe 127.0.0.1/32 trust",
  ];
  server = await startPostgres({ tls: certificate.folder, access });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query("CREATE ROLE guarded LOGIN; CREATE ROLE bare LOGIN; CREATE ROLE asked LOGIN PASSWORD 'one'");
  await client.end();
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

/** Each parameter replaces one of the URL, such as the user. */
function urlFor({ user = "lethe", host = "127.0.0.1" }: { user?: string; host?: string }, query = ""): string {
  return `postgres://${user}@${host}:${server.port}/postgres${query}`;
}

/** What both the start and the check of an address say, which must be the same. */
async function problemOf(url: string): Promise<unknown> {
  const error = await connectPostgres({ url }).catch((reason: unknown) => reason);
  const { message: problem } = error as Error;
  expect(await checkPostgres({ url })).toEqual({ isReached: error instanceof UnusablePostgresError, problem });
  return error;
}

test.each(["verify-full", "verify-ca", "require", "prefer"])(
  "rejects a server whose certificate is not trusted with sslmode=%s, says how to name its authority, and prints no warning",
  async (mode) => {
    const warn = vi.spyOn(process, "emitWarning");
    expect(await problemOf(urlFor({}, `?sslmode=${mode}`))).toMatchObject({
      reason: "tls",
      message: expect.stringMatching(/self.signed certificate; name the authority .* with sslrootcert=FILE/),
    });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  },
);

test.each(["sslmode=no-verify", "uselibpqcompat=true&sslmode=require"])(
  "encrypts without a check of the certificate with %s",
  async (query) => {
    const postgres = await connectPostgres({ url: urlFor({ user: "lethe" }, `?${query}`) });
    const text = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    expect(await postgres.run({ name: "test_own_ssl", text }, [])).toEqual([{ ssl: true }]);
    await postgres.close();
  },
);

test("names the host of a certificate that is for another host", async () => {
  const root = encodeURIComponent(certificate.certificateFile);
  const url = urlFor({ host: "localhost" }, `?sslmode=verify-full&sslrootcert=${root}`);
  const message = expect.stringMatching(/Host: localhost.*; write a host in the URL that its certificate names/);
  expect(await problemOf(url)).toMatchObject({ reason: "tls", message });
});

test("an account that must use TLS is rejected without it, with the parameter to add", async () => {
  const message = expect.stringMatching(/no encryption; if it requires TLS, add sslmode=verify-full to the URL/);
  expect(await problemOf(urlFor({ user: "guarded" }))).toMatchObject({ reason: "tls", message });
});

test("an account that must not use TLS is rejected with it, with the parameter to remove", async () => {
  const message = expect.stringMatching(/SSL encryption; add a line to its pg_hba.conf .* or remove sslmode/);
  const url = urlFor({ user: "bare" }, "?sslmode=no-verify");
  expect(await problemOf(url)).toMatchObject({ reason: "no_permission", message });
});

test("a URL without the password that the server asks for is rejected with where to add it", async () => {
  const message = expect.stringContaining("it asks for a password, and its URL has none; add the password to the URL");
  expect(await problemOf(urlFor({ user: "asked" }))).toMatchObject({ reason: "no_permission", message });
});

test("a certificate file that does not exist is named, with the parameters that may name it", async () => {
  const url = urlFor({}, "?sslmode=verify-full&sslrootcert=/absent.crt");
  const message = expect.stringMatching(/'\/absent.crt'; correct sslrootcert, sslcert or sslkey in the URL/);
  expect(await problemOf(url)).toMatchObject({ message });
});
