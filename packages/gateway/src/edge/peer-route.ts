// Answers the sealed questions of other replicas. To anybody else the path does not exist.
import type { HttpAnswer, Route } from "@lethe/server/edge";
import type { SharedState } from "../upstreams/directory/shared-state.ts";

const notFound: HttpAnswer = { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };
const headers = { "Content-Type": "text/plain", "Cache-Control": "no-store" };

export function createPeerRoute({ header, answer }: NonNullable<SharedState["peers"]>): Route {
  return {
    isPublic: true,
    respond({ verb, headers: read }) {
      const question = verb === "POST" ? read(header) : undefined;
      const body = question ? answer(question) : undefined;
      return body === undefined ? notFound : { status: 200, headers, body };
    },
  };
}
