import type { RouteRequest } from "@lethe/server/edge";
import { expect, it } from "vitest";
import { createPeerRoute } from "./peer-route.ts";

const route = createPeerRoute({
  path: "/path",
  header: "sealed",
  answer: (question) => (question === "right" ? "an answer" : undefined),
});

function request(verb: string, question?: string): RouteRequest {
  const headers = (name: string) => (name === "sealed" ? question : undefined);
  return { verb, url: "/path", isLoopback: false, headers };
}

it("answers a question of another replica", async () => {
  expect(await route.respond(request("POST", "right"))).toMatchObject({ status: 200, body: "an answer" });
});

it.each([["POST", "wrong"], ["POST"], ["GET", "right"], ["OPTIONS"]])(
  "answers %s with the question %s as an unknown path does",
  async (verb, question?: string) => {
    const headers = { "Content-Type": "text/plain" };
    expect(await route.respond(request(verb, question))).toEqual({ status: 404, headers, body: "not found" });
  },
);
