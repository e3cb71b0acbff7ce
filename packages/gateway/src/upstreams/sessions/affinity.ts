// Which session a request belongs to: by its caller, by the handle that it names, or by nothing but itself (E-73).
import { createHash, randomBytes } from "node:crypto";
import type { Affinity, UpstreamPolicy } from "../../config/upstream-config.ts";
import type { Verdict } from "../verdict/verdict.ts";
import type { Place } from "./session.ts";

/** The gateway's own session. Callers have it too where sessions are shared, and where nobody says who is calling. */
export const ownPlace: Place = { key: "own", callerId: undefined, isOwn: true };

const nobodysPlace: Place = { ...ownPlace, isNobodys: true };

/** What may share a session; undefined as long as neither the configuration nor a verdict says it. */
export function affinityIn(
  { affinity, credentials }: Pick<UpstreamPolicy, "affinity" | "credentials">,
  verdict: Pick<Verdict, "sharing"> | undefined,
): Affinity | undefined {
  if (affinity !== undefined) return affinity;
  // What acts for one caller is not for another, whatever the upstream keeps.
  if (credentials?.callers) return "caller";
  if (!verdict) return undefined;
  return verdict.sharing === "session" ? "caller" : "shared";
}

/** The n-th of the sessions that callers share; the first is `place` itself. */
export function toSpare(place: Place, n: number): Place {
  return n === 1 ? place : { key: `${place.key} ${n}`, callerId: undefined, isSpare: true };
}

/** Sessions that callers name. 128 random bits: nobody guesses one, and another caller's opens nothing. */
export function mintHandle(): string {
  return randomBytes(16).toString("base64url");
}

/** The place of a request; a handle that it names is already known to be one. */
export function toPlace(affinity: Affinity, callerId: string | undefined, handle: string | undefined): Place {
  switch (affinity) {
    case "shared":
      return ownPlace;
    case "call":
      return { key: `call ${crypto.randomUUID()}`, callerId, isSingleUse: true };
    case "caller":
      return callerId === undefined ? nobodysPlace : { key: `caller ${callerId}`, callerId };
    case "handle": {
      const named = handle ?? mintHandle();
      return { key: handleKey(callerId, named), callerId, handle: named };
    }
  }
}

/** A digest, because the key leaves the process where replicas share a directory. */
export function handleKey(callerId: string | undefined, handle: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([callerId ?? null, handle]))
    .digest("base64url");
  return `handle ${digest}`;
}
