// Controls access to administration: with the configured key from anywhere, or without a key from this machine only.
import { createKeyAuthenticator, isAuthenticationError, type Sender } from "@lethe/server/auth";
import type { HttpAnswer, RouteRequest } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/schema/settings.ts";

/** Returns the refusal of a request, or undefined if it is allowed. */
export type AdminAccess = (request: RouteRequest) => Promise<HttpAnswer | undefined>;

/** `onRefused` receives the reason of each refusal. */
export function createAdminAccess(
  { key }: AdminSettings = {},
  onRefused: (reason: string, sender: Sender) => void = () => {},
): AdminAccess {
  const keys = key === undefined ? undefined : createKeyAuthenticator([{ id: "admin", key }]);
  async function refusalOf(request: RouteRequest): Promise<HttpAnswer | undefined> {
    if (!keys) return refuseOthers(request, "gateway.admin.key lets others in");
    if (isForeignPage(request)) return foreignPageAnswer();
    try {
      await keys.authenticate(request.headers("authorization"));
      return undefined;
    } catch (error) {
      if (!isAuthenticationError(error)) throw error;
      return refuse(error.status, error.message, { "WWW-Authenticate": "Bearer" });
    }
  }

  return async (request) => {
    const refusal = await refusalOf(request);
    if (refusal) onRefused(`administration: ${JSON.parse(refusal.body).error}`, request);
    return refusal;
  };
}

/**
 * Refuses all requests but those that come directly from this machine, from a program or from the server's own pages. `hint` says what
 * else lets the others in.
 */
export function refuseOthers(request: RouteRequest, hint: string): HttpAnswer | undefined {
  if (isForeignPage(request)) return foreignPageAnswer();
  return isFromHere(request) ? undefined : refuse(403, `from this machine only; ${hint}`);
}

const foreignPageAnswer = (): HttpAnswer => refuse(403, "not for web pages of other origins");

/** The server's own check also accepts pages of this machine on other ports. This one accepts only pages of the server itself. */
function isForeignPage({ headers }: RouteRequest): boolean {
  const origin = headers("origin");
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== headers("host");
}

/**
 * A request forwarded by a proxy on this machine does not come from this machine, and neither does one of a page with a
 * rebound host name: a gateway that listens on every address accepts any host name.
 */
function isFromHere({ isLoopback, headers }: RouteRequest): boolean {
  const isDirect = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].every((name) => headers(name) === undefined);
  return isLoopback && isDirect && ownName.test(headers("host") ?? "");
}

const ownName = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

function refuse(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  const json = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers: { ...json, ...headers }, body: `${JSON.stringify({ error: reason })}\n` };
}
