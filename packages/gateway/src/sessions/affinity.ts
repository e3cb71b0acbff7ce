// Which session a request belongs to: by its caller, by the handle that it names, or by nothing but itself (E-73).
import { createHash, randomBytes } from "node:crypto";
import type { Affinity } from "../config/upstream-config.ts";
import type { Place } from "./session.ts";
import type { Verdict } from "./verdict.ts";

/** The gateway's own session. Callers have it too where sessions are shared, and where nobody says who is calling. */
export const ownPlace: Place = { key: "own", callerId: undefined, isOwn: true };

/** What an upstream of this verdict gets when its operator says nothing. */
export function affinityOf({ sharing }: Pick<Verdict, "sharing">): Affinity {
  return sharing === "session" ? "caller" : "shared";
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
      return callerId === undefined ? ownPlace : { key: `caller ${callerId}`, callerId };
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
