// Answers HTTP requests below /console: the built files, the settings of this deployment, and the page for every other path.
import { gunzipSync } from "node:zlib";
import type { SiteFile } from "#site";
import { securityHeaders } from "./content-policy.ts";

/** The path of the console at every server. */
export const consolePath = "/console";

/** What the server of a console offers. The page reads it from `/console/settings.json`. */
export interface ConsoleSettings {
  /** Names the server in the page's title, such as "staging". Default: none. */
  readonly name?: string;
  /** The path of the administration interface on the same origin. Absent: the page shows the playground only. */
  readonly admin?: string;
  /** The path of the MCP endpoint on the same origin. Absent: the page has no playground. */
  readonly mcp?: string;
}

/** The request, reduced to what decides the answer. `header` returns a value by lower-case name. */
export interface ConsoleRequest {
  readonly verb: string;
  readonly path: string;
  header(name: string): string | undefined;
}

/** A complete HTTP response. `bytes`, if present, is the body. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes?: Uint8Array;
}

/** Rejects if the files of the console were not built. */
export async function answerConsole(request: ConsoleRequest, settings: ConsoleSettings): Promise<ConsoleAnswer> {
  const { verb, path } = request;
  if (verb !== "GET" && verb !== "HEAD") return { status: 405, headers: { Allow: "GET, HEAD" }, body: "" };
  if (path === consolePath) return { status: 308, headers: { Location: `${consolePath}/` }, body: "" };
  const name = path.slice(consolePath.length + 1);
  if (name === "settings.json") return toSettingsAnswer(settings);
  const { files } = await import("#site");
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file) return toFileAnswer(name, file, request);
  // The page itself decides what a path without an extension shows.
  const page = files["index.html"];
  if (page && !/\.\w+$/.test(name)) return toFileAnswer("index.html", page, request);
  return { status: 404, headers: { ...securityHeaders(name), "Content-Type": "text/plain" }, body: "not found\n" };
}

function toSettingsAnswer(settings: ConsoleSettings): ConsoleAnswer {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status: 200, headers: { ...securityHeaders("settings.json"), ...headers }, body: JSON.stringify(settings) };
}

function toFileAnswer(name: string, { type, tag, gzip }: SiteFile, { header }: ConsoleRequest): ConsoleAnswer {
  const etag = `"${tag}"`;
  const headers = {
    ...securityHeaders(name),
    "Content-Type": type,
    ETag: etag,
    Vary: "Accept-Encoding",
    // The names of assets contain a hash of their content.
    "Cache-Control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (header("if-none-match") === etag) return { status: 304, headers, body: "" };
  const compressed = Buffer.from(gzip, "base64");
  if (/\bgzip\b/.test(header("accept-encoding") ?? "")) {
    return { status: 200, headers: { ...headers, "Content-Encoding": "gzip" }, body: "", bytes: compressed };
  }
  return { status: 200, headers, body: "", bytes: gunzipSync(compressed) };
}
