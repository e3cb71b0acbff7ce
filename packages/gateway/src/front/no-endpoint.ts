// What stands at the paths of servers that are not there, when callers must authenticate: to whoever has no credentials it
// looks like any other (401, as G-3 has it), so that nobody can guess names; whoever has them gets a 404.
import { methodNotFound } from "@lethe/protocol";
import type { Authenticator, HttpAnswer, Servable } from "@lethe/server";
import { isUpstreamName } from "../config/upstream-name.ts";

const notFound: HttpAnswer = { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };

export function createNoEndpoint(authenticator: Authenticator): Servable {
  return {
    authenticator,
    // Never asked: what every era sends is claimed below, after the caller is known.
    dispatch: ({ method }) => Promise.reject(methodNotFound(method)),
    legacy: {
      paths: [],
      claims: () => true,
      receive: (call) => call.answer(notFound),
      connect() {
        throw new Error("served over HTTP only");
      },
      close() {},
    },
  };
}

/** Whether a server with a path of its own could be there. */
export function isPathOfName(path: string, basePath: string): boolean {
  return path.startsWith(`${basePath}/`) && isUpstreamName(path.slice(basePath.length + 1));
}
