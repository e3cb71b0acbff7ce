// A certificate that signs itself, made by openssl.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Valid for these host names, for two days. */
export function createCertificate(...names: readonly string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "lethe-certificate-"));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name)) as [string, string];
  const subject = ["-subj", "/CN=test", "-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
  const made = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return made;
}
