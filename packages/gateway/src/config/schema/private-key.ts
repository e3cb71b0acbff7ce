// Reads the private key of a client: PEM of any kind, or a JWK. No error contains the key.
import { createPrivateKey, type JsonWebKey, type KeyObject } from "node:crypto";

export interface PrivateKey {
  /** PKCS #8 in PEM. */
  readonly key: string;
  /** The usual algorithm of its kind of key, such as "ES256". */
  readonly algorithm: string;
}

/** Throws an Error that says what is expected. */
export function parsePrivateKey(text: string): PrivateKey {
  const key = toKey(text);
  const algorithm = key && algorithmOf(key);
  if (!key || !algorithm) throw new Error("must be a private RSA, EC or Ed25519 key without a passphrase: PEM or JWK");
  return { key: key.export({ format: "pem", type: "pkcs8" }).toString(), algorithm };
}

function toKey(text: string): KeyObject | undefined {
  const trimmed = text.trim();
  try {
    if (trimmed.startsWith("{")) return createPrivateKey({ key: JSON.parse(trimmed) as JsonWebKey, format: "jwk" });
    // Variables of one line have "\n" in place of line ends.
    return createPrivateKey(trimmed.includes("\n") ? trimmed : trimmed.replaceAll("\\n", "\n"));
  } catch {
    return undefined;
  }
}

const curves: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === "rsa") return "RS256";
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  return asymmetricKeyType === "ec" ? curves[asymmetricKeyDetails?.namedCurve ?? ""] : undefined;
}

/** The parts of a key that must not appear in logs: lines of PEM, and private members of a JWK, which may be printed apart. */
export function secretsInKey(text: string): string[] {
  const lines = text.split(/\s+|\\n/).filter((line) => line.length >= 32);
  const members = [...text.matchAll(/"(?:d|p|q|dp|dq|qi)"\s*:\s*"([^"]+)"/g)].map(([, value = ""]) => value);
  return [text, ...lines, ...members];
}
