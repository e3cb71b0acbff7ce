// What stands at the paths of servers that are not there, when callers must authenticate: to whoever has no credentials it
// looks like any other (401, as G-3 has it), so that nobody can guess names; whoever has them gets a 404.
import { methodNotFound } from "@lethe/protocol";
import type { Authenticator } from "@lethe/server/auth";
import type { HttpAnswer, LegacyEdge, Servable } from "@lethe/server/edge";
import { isUpstreamName } from "../config/upstream-name.ts";

const notFound: HttpAnswer = { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };

/** Claims what every era sends, and answers it once the caller is known. */
const legacy: LegacyEdge = {
  paths: [],
  claims: () => true,
  receive: (call) => call.answer(notFound),
  connect() {
    throw new Error("no endpoint is served over stdio");
  },
  close() {},
};

/** `isLegacyServed` shows without credentials as well: in the verbs that OPTIONS names. */
export function createUnknownEndpoint(authenticator: Authenticator, isLegacyServed: boolean): Servable {
  return {
    authenticator,
    dispatch: ({ method }) => Promise.reject(methodNotFound(method)),
    legacy: isLegacyServed ? legacy : undefined,
  };
}

/** Whether a server with a path of its own could be there. */
export function isUpstreamPath(path: string, basePath: string): boolean {
  return path.startsWith(`${basePath}/`) && isUpstreamName(path.slice(basePath.length + 1));
}
