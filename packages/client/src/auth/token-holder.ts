// The token in use: loaded after a restart, renewed once at a time, and added to each request (G-46, G-48).
import type { HeaderReader } from "@lethe/protocol";
import { AuthorizationError, isAuthorizationError } from "./authorization-error.ts";
import type { AuthorizationHeaders, OutgoingRequest } from "./authorizer.ts";
import type { HeldToken, Renewal, Renewed } from "./renewal.ts";
import { createSingleFlight } from "./single-flight.ts";
import { isGood } from "./token-set.ts";

export type RenewalTask = (held: HeldToken | undefined, signal: AbortSignal) => Promise<Renewed>;

export interface TokenHolder {
  readonly held: HeldToken | undefined;
  headersFor(request: OutgoingRequest): AuthorizationHeaders | Promise<AuthorizationHeaders>;
  /** Waits for a running renewal, for any reason, or starts this one. */
  renew(task: RenewalTask, request: OutgoingRequest): Promise<Renewed>;
  /** True if a newer token is available than the one sent. */
  hasNewer(sent: AuthorizationHeaders): boolean;
  /** Keeps the DPoP nonce of a response for the next proof. */
  takeNonce(answer: HeaderReader): string | undefined;
}

export const noHeaders: AuthorizationHeaders = Object.freeze({});

export function createTokenHolder(renewal: Renewal): TokenHolder {
  const flight = createSingleFlight<Renewed>();
  let restoring: Promise<void> | undefined;
  let isRestored = false;
  let held: HeldToken | undefined;
  let headers = noHeaders;

  function hold(next: HeldToken | undefined): void {
    held = next;
    headers = next ? Object.freeze({ authorization: toAuthorization(next) }) : noHeaders;
  }

  async function restore(): Promise<void> {
    restoring ??= orFail(async () => {
      hold(await renewal.restore());
      isRestored = true;
    }).finally(() => {
      restoring = undefined;
    });
    await restoring;
  }

  function headersFor(request: OutgoingRequest): AuthorizationHeaders | Promise<AuthorizationHeaders> {
    if (!isRestored) return restore().then(() => headersFor(request));
    if (!held) return noHeaders;
    if (isGood(held.tokens)) return held.dpop ? prove(held, request) : headers;
    // The response to a request without a token says how to authorize.
    return held.tokens.refreshToken === undefined ? noHeaders : refreshFirst(request);
  }

  async function prove({ tokens, dpop }: HeldToken, request: OutgoingRequest): Promise<AuthorizationHeaders> {
    const { url, method } = request;
    const proof = await dpop?.prove({ url, method, accessToken: tokens.accessToken });
    return proof === undefined ? headers : { ...headers, dpop: proof };
  }

  async function refreshFirst(request: OutgoingRequest): Promise<AuthorizationHeaders> {
    const { held: next } = await renew(async (stale, signal) => {
      const renewed = stale && (await renewal.refresh(stale, signal));
      return { held: renewed ?? withoutRefreshToken(stale as HeldToken), by: "refresh" };
    }, request);
    return isGood(next.tokens) ? headersFor(request) : noHeaders;
  }

  function renew(task: RenewalTask, request: OutgoingRequest): Promise<Renewed> {
    const start = (signal: AbortSignal) =>
      orFail(async () => {
        const renewed = await task(held, signal);
        hold(renewed.held);
        return renewed;
      });
    return flight.join(start, request.signal);
  }

  return {
    get held() {
      return held;
    },
    headersFor,
    renew,
    hasNewer: (sent) => held !== undefined && isGood(held.tokens) && sent.authorization !== headers.authorization,
    takeNonce(answer) {
      const nonce = held?.dpop && answer("dpop-nonce");
      if (nonce !== undefined) held?.dpop?.rememberNonce(nonce);
      return nonce;
    },
  };
}

export function toAuthorization({ tokens }: HeldToken): string {
  return `${tokens.dpopKey ? "DPoP" : "Bearer"} ${tokens.accessToken}`;
}

// The refresh token was already tried.
function withoutRefreshToken(held: HeldToken): HeldToken {
  const { refreshToken: _, ...tokens } = held.tokens;
  return { ...held, tokens };
}

/** Callbacks and stores belong to the host: callers see their errors as AuthorizationError. */
async function orFail<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (thrown) {
    if (isAuthorizationError(thrown)) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AuthorizationError("failed", `authorization failed: ${why}`, { cause: thrown });
  }
}
