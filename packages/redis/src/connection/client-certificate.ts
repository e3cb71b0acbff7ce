// The certificate by which a Redis with TLS knows its clients. Its files are read for each connection, so that a renewed certificate is used.
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { KnownOptions } from "@lethe/protocol";

/** PEM files. */
export interface ClientCertificate {
  /** The certificate, and those of authorities between it and the one that Redis trusts. */
  readonly certFile: string;
  /** The private key, without a password. */
  readonly keyFile: string;
}

export const knownClientCertificate: KnownOptions<ClientCertificate> = { certFile: "a string", keyFile: "a string" };

/** TLS options of the driver. It copies them when it connects, which reads the files. */
export function toTlsOptions(certificate: ClientCertificate | undefined): Pick<ConnectionOptions, "cert" | "key"> {
  if (!certificate) return {};
  return {
    get cert() {
      return readFileSync(certificate.certFile);
    },
    get key() {
      return readFileSync(certificate.keyFile);
    },
  };
}

/** Why a certificate cannot be used, as the end of a sentence. Undefined if it can. */
export function findCertificateProblem(certificate: ClientCertificate, isTls: boolean): string | undefined {
  if (!isTls) return 'a client certificate needs TLS; write "rediss" instead of "redis" in its URL';
  for (const file of [certificate.certFile, certificate.keyFile]) {
    try {
      readFileSync(file);
    } catch (error) {
      return `the file of the client certificate cannot be read: ${(error as Error).message}`;
    }
  }
  return undefined;
}
