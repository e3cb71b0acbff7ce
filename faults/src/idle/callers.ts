// Callers with tokens of an issuer of their own, and their calls over kept connections.
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type Server } from "node:http";

export const issuer = "http://127.0.0.1/idle-callers";
export const audience = "idle-sessions";

export interface Issuer {
  readonly jwksUrl: string;
  /** An access token of the caller with this number. */
  tokenOf(caller: number): string;
  close(): void;
}

const lifetimeS = 6 * 3_600;

/** Serves its keys on a free port of the loopback address. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwks = JSON.stringify({
    keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "EdDSA", use: "sig" }],
  });
  const server: Server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(jwks);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const head = encode({ alg: "EdDSA", typ: "at+jwt", kid: "k1" });
  const exp = Math.floor(Date.now() / 1_000) + lifetimeS;
  return {
    jwksUrl: `http://127.0.0.1:${port}/jwks`,
    tokenOf(caller) {
      const text = `${head}.${encode({ iss: issuer, aud: audience, sub: `caller-${caller}`, exp })}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
