// Health and readiness for load balancers and orchestrators. They need no key and reveal nothing about upstreams.
import type { HttpAnswer, Route } from "@lethe/server/edge";

export interface Readiness {
  isReady: boolean;
  /** A short description, such as "ready", "starting" or "draining". */
  state: string;
}

export function createHealthRoutes(readiness: () => Readiness): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ["/healthz", { isPublic: true, respond: ({ verb }) => toAnswer(verb, 200, "ok") }],
    [
      "/readyz",
      {
        isPublic: true,
        respond({ verb }) {
          const { isReady, state } = readiness();
          return toAnswer(verb, isReady ? 200 : 503, state);
        },
      },
    ],
  ]);
}

function toAnswer(verb: string, status: number, state: string): HttpAnswer {
  if (verb !== "GET" && verb !== "HEAD") return { status: 405, headers: { Allow: "GET, HEAD" }, body: "" };
  const headers = { "Content-Type": "text/plain", "Cache-Control": "no-store" };
  return { status, headers, body: `${state}\n` };
}
