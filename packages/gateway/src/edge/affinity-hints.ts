// The affinity hint of each caller: an opaque value in responses on which load balancers hash, so that most requests of a caller arrive
// at the replica that owns its sessions. Nothing depends on the value that a request brings.
import { createHmac, randomUUID } from "node:crypto";
import { affinityHeader, type Caller, type HeaderReader, isAffinityHint } from "@lethe/protocol";
import type { Servable } from "@lethe/server/edge";
import { createKeyRing, keysFromEnvironment, type SealKey } from "@lethe/server/stores";
import type { GatewaySettings } from "../config/schema/settings.ts";

/** Makes the hints of callers. */
export interface AffinityKey {
  /** Whether replicas share the sessions of callers. */
  readonly hasReplicas: boolean;
  /** Undefined until the key is derived, for a moment after the start. */
  readonly secret: Uint8Array | undefined;
}

/** In bytes. Two callers with the same value only share a replica. */
const hintSize = 12;
/** Headers that are kept, because an HMAC costs more than the rest of the response head. */
const maxKnown = 1_000;
const headerName = "Lethe-Affinity";
type HintHeader = Readonly<Record<typeof headerName, string>>;
const cookieName = "lethe_affinity";
const cookiePattern = new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]*)`);
/** How long a browser keeps the cookie, in s. */
const cookieSeconds = 86_400;

/** `keys`: those of the deployment. Default: those of the environment. */
export function createAffinityKey(keys: string | readonly SealKey[] | undefined, hasReplicas: boolean): AffinityKey {
  let secret: Uint8Array | undefined;
  void createKeyRing(keys ?? keysFromEnvironment())
    .first.derive("affinity")
    .then((derived) => {
      secret = derived;
    });
  return {
    hasReplicas,
    get secret() {
      return secret;
    },
  };
}

/** Returns the function that adds hints to responses, or undefined if the settings want none. A request that brings its hint gets none. */
export function createAffinityHints(
  key: AffinityKey,
  { publicUrl, affinityHints: kind = key.hasReplicas ? "header" : "none" }: GatewaySettings,
): NonNullable<Servable["answerHeaders"]> | undefined {
  if (kind === "none") return undefined;
  const isPublicTls = publicUrl?.startsWith("https:") === true;
  const known = new Map<string, HintHeader>();
  const headerFor = (secret: Uint8Array, { id }: Caller): HintHeader => {
    const existing = known.get(id);
    if (existing) return existing;
    const header = { [headerName]: hintOf(secret, id) };
    if (known.size >= maxKnown) known.clear();
    known.set(id, header);
    return header;
  };
  return (headers, caller) => {
    const { secret } = key;
    if (!secret) return undefined;
    const sent = headers(affinityHeader);
    const cookie = kind === "cookie" ? cookieIn(headers) : undefined;
    const header = caller
      ? headerFor(secret, caller)
      : { [headerName]: [sent, cookie].find(isAffinityHint) ?? createHint() };
    const hint = header[headerName];
    if (sent === hint || cookie === hint) return undefined;
    if (kind === "header") return header;
    const isTls = isPublicTls || headers("x-forwarded-proto") === "https";
    return { ...header, "Set-Cookie": toCookie(hint, isTls) };
  };
}

/** The same at all replicas, and meaningless without the keys of the deployment. */
function hintOf(secret: Uint8Array, id: string): string {
  return createHmac("sha256", secret).update(id).digest().subarray(0, hintSize).toString("base64url");
}

/** For an anonymous client, which is known by the hint that it returns. Each response to a client that returns none has one. */
function createHint(): string {
  // Costs a tenth of `randomBytes`.
  return randomUUID().slice(-17).replace("-", "");
}

function cookieIn(headers: HeaderReader): string | undefined {
  return cookiePattern.exec(headers("cookie") ?? "")?.[1];
}

function toCookie(hint: string, isTls: boolean): string {
  const attributes = `Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Strict`;
  return `${cookieName}=${hint}; ${attributes}${isTls ? "; Secure" : ""}`;
}
