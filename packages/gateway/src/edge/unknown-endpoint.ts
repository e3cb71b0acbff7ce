// Answers at paths of servers that do not exist, where callers must authenticate. Callers without credentials get 401 as at any
// endpoint (G-3), so that they cannot guess server names. Authenticated callers get 404.
import { methodNotFound } from "@lethe/protocol";
import type { Authenticator } from "@lethe/server/auth";
import type { HttpAnswer, LegacyEdge, Servable } from "@lethe/server/edge";
import { isUpstreamName } from "../config/upstream-name.ts";

const notFound: HttpAnswer = { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };

/** Claims the messages of every era and answers them once the caller is authenticated. */
const legacy: LegacyEdge = {
  paths: [],
  claims: () => true,
  receiveCall: (call) => call.answer(notFound),
  connect() {
    throw new Error("no endpoint is served over stdio");
  },
  close() {},
};

/** `isLegacyServed` also shows without credentials, in the methods that OPTIONS lists. */
export function createUnknownEndpoint(authenticator: Authenticator, isLegacyServed: boolean): Servable {
  return {
    authenticator,
    dispatch: ({ method }) => Promise.reject(methodNotFound(method)),
    legacy: isLegacyServed ? legacy : undefined,
  };
}

/** Whether an upstream could have this path. */
export function isUpstreamPath(path: string, basePath: string): boolean {
  return path.startsWith(`${basePath}/`) && isUpstreamName(path.slice(basePath.length + 1));
}
