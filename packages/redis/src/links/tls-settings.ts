// How both ends of a direct connection use TLS: version 1.3 with a pre-shared key, and no certificates.
import type { SecureContextOptions } from "node:tls";

/** OpenSSL uses a pre-shared key from a callback with SHA-256 only. */
export const tlsSettings: Pick<SecureContextOptions, "minVersion" | "ciphers"> = {
  minVersion: "TLSv1.3",
  ciphers: "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256",
};

/** How long a handshake may take, in ms. */
export const handshakeMs = 3_000;

/** An idle connection is probed after this time, so that one to a lost machine ends, in ms. */
export const keepAliveMs = 15_000;
