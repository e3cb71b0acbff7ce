// Certificates and settings with which real Redis servers, Clusters and Sentinels speak TLS alone.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { Redis } from "ioredis";
import { toTlsOptions } from "../connection/client-certificate.ts";

export interface TestCertificate {
  /** Has the two files, as server.key and server.crt. */
  readonly folder: string;
  readonly keyFile: string;
  /** Self-signed, for 127.0.0.1. It is also the authority that clients must trust. */
  readonly certificateFile: string;
  /** Servers require a certificate of each client, as they do by default, of the same authority. */
  readonly requiresClients: boolean;
  remove(): Promise<void>;
}

export async function createCertificate({ requiresClients = false } = {}): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-certificate-"));
  const [keyFile, certificateFile] = [join(folder, "server.key"), join(folder, "server.crt")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  const flags = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject];
  execFileSync("openssl", flags, { stdio: "ignore" });
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, keyFile, certificateFile, requiresClients, remove };
}

/** Settings of a server or Sentinel that listens with TLS on `port`, and without TLS nowhere. */
export function tlsSettings(port: number, tls: TestCertificate): [name: string, value: string][] {
  return [
    ["port", "0"],
    ["tls-port", String(port)],
    ["tls-cert-file", tls.certificateFile],
    ["tls-key-file", tls.keyFile],
    ["tls-ca-cert-file", tls.certificateFile],
    ["tls-auth-clients", tls.requiresClients ? "yes" : "no"],
    ["tls-replication", "yes"],
  ];
}

export interface AdminOptions {
  readonly tls?: TestCertificate | undefined;
  readonly password?: string | undefined;
}

/** A client for the set-up of servers. */
export function connectAdmin(port: number, { tls, password }: AdminOptions = {}): Redis {
  const admin = new Redis(port, "127.0.0.1", {
    ...(password !== undefined && { password }),
    ...(tls && { tls: trusting(tls) }),
  });
  // A server that is about to listen refuses the first attempts.
  return admin.on("error", () => {});
}

function trusting({ certificateFile, keyFile }: TestCertificate): ConnectionOptions {
  return { ca: readFileSync(certificateFile), ...toTlsOptions({ certFile: certificateFile, keyFile }) };
}
