// Which paths below / lead to the web console, and what answers there.
import { answerConsole, type ConsoleSettings, consolePath } from "@lethe/console";
import type { HttpAnswer, Route, RouteLookup, RouteRequest } from "@lethe/server/edge";

/** `offerTo` returns what the page may use, or the refusal of the request. */
export function createConsoleLookup(
  offerTo: (request: RouteRequest) => Promise<ConsoleSettings | HttpAnswer>,
): RouteLookup {
  async function respond(path: string, request: RouteRequest): ReturnType<typeof answerConsole> {
    const offer = await offerTo(request);
    if ("status" in offer) return offer;
    const { verb, headers } = request;
    return answerConsole({ verb, path, header: (name) => headers(name) }, offer);
  }

  return (path) => {
    if (path === "" || path === "/") return home;
    // A trailing slash was removed.
    if (path === consolePath) return { isPublic: true, respond: (request) => respond(`${consolePath}/`, request) };
    return path.startsWith(`${consolePath}/`)
      ? { isPublic: true, respond: (request) => respond(path, request) }
      : undefined;
  };
}

/** Leads browsers to the console. */
const home: Route = {
  isPublic: true,
  respond: ({ verb, headers }) => {
    const isPage = verb === "GET" && (headers("accept") ?? "").includes("text/html");
    if (isPage) return { status: 302, headers: { Location: `${consolePath}/` }, body: "" };
    return { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };
  },
};
