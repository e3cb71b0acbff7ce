// Chooses the session key of a request: by its caller, by the handle it names, or by the request alone.
import { createHash, randomBytes } from "node:crypto";
import type { UpstreamPolicy } from "../../config/schema/settings.ts";
import type { Affinity } from "../../config/upstream-config.ts";
import { type DeclaredExtensions, noExtensions } from "../../extensions/declared-extensions.ts";
import type { Verdict } from "../verdict/verdict.ts";
import type { SessionKey } from "./session.ts";

/** The gateway's own session. Callers use it too where they share sessions, and anonymous callers always do. */
export const ownKey: SessionKey = { value: "own", callerId: undefined, isOwn: true };

const anonymousKey: SessionKey = { ...ownKey, isAnonymous: true };

/** Returns undefined while neither the configuration nor a verdict determines which requests share a session. */
export function affinityIn(
  { affinity, credentials }: Pick<UpstreamPolicy, "affinity" | "credentials">,
  verdict: Pick<Verdict, "sharing"> | undefined,
): Affinity | undefined {
  if (affinity !== undefined) return affinity;
  // A session that uses one caller's credentials must not serve another caller (E-73).
  if (credentials?.callers) return "caller";
  if (!verdict) return undefined;
  return verdict.sharing === "session" ? "caller" : "shared";
}

/** Returns the key of the n-th session that callers share. The first one is `key` itself. */
export function toSpareKey(key: SessionKey, n: number): SessionKey {
  return n === 1 ? key : { value: `${key.value} ${n}`, callerId: undefined, isSpare: true };
}

/**
 * Returns the key of the session that is opened with a declaration. Callers with different declarations share none, except those that
 * name a session by its handle.
 */
export function withDeclared(key: SessionKey, declared: DeclaredExtensions): SessionKey {
  if (declared === noExtensions) return key;
  if (key.handle !== undefined || key.isSingleUse) return { ...key, declared };
  const { isOwn, ...others } = key;
  const isSpare = (isOwn && !key.isAnonymous) || key.isSpare === true;
  return { ...others, value: `${key.value} +${declared.key}`, declared, ...(isSpare && { isSpare }) };
}

/** Creates a session handle of 128 random bits. A handle works only for the caller it was created for. */
export function mintHandle(): string {
  return randomBytes(16).toString("base64url");
}

/** Returns the session key of a request. The caller of this function has checked that `handle` is well formed. */
export function toSessionKey(affinity: Affinity, callerId: string | undefined, handle: string | undefined): SessionKey {
  switch (affinity) {
    case "shared":
      return ownKey;
    case "call":
      return { value: `call ${crypto.randomUUID()}`, callerId, isSingleUse: true };
    case "caller":
      return callerId === undefined ? anonymousKey : { value: `caller ${callerId}`, callerId };
    case "handle": {
      const named = handle ?? mintHandle();
      return { value: handleKey(callerId, named), callerId, handle: named };
    }
  }
}

/** Returns a digest, because replicas that share a directory send the key to each other. */
export function handleKey(callerId: string | undefined, handle: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([callerId ?? null, handle]))
    .digest("base64url");
  return `handle ${digest}`;
}
