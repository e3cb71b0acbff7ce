// Reads the entry of an HTTP API that an OpenAPI document describes.
import { resolve } from "node:path";
import { present } from "./present.ts";
import type { Section } from "./section.ts";
import type { ApiSelection, OpenApiUpstream } from "./upstream-config.ts";

export interface OpenApiContext {
  readonly name: string;
  /** The folder of relative paths. */
  readonly folder: string;
  onSecret(value: string): void;
}

/** Returns undefined if the entry is invalid. The section has recorded why. */
export function readOpenApi(entry: Section, { name, folder, onSecret }: OpenApiContext): OpenApiUpstream | undefined {
  const given = entry.requiredText("openapi");
  const baseUrl = entry.url("baseUrl");
  const auth = readAuth(entry, onSecret);
  const timeoutMs = entry.milliseconds("timeoutMs", 1);
  const api = present<OpenApiUpstream["api"]>({
    ...{ baseUrl, auth, include: readInclude(entry), exclude: readSelection(entry.section("exclude")) },
    ...{ deprecated: entry.flag("deprecated"), outputSchemas: entry.flag("outputSchemas") },
    maxOperations: entry.whole("maxOperations", 1),
    maxResponseBytes: entry.whole("maxResponseBytes", 1),
    maxConcurrent: entry.whole("maxConcurrent", 1),
  });
  if (auth && !entry.has("baseUrl")) {
    entry.fail("auth", "needs baseUrl, so that the document does not decide where credentials are sent");
  }
  entry.rejectOthers();
  if (given === undefined) return undefined;
  const document = /^https?:/i.test(given) ? given : resolve(folder, given);
  const fixed = { kind: "openapi", sharing: "shared", era: "modern" } as const;
  return { ...fixed, name, document, api, ...(timeoutMs !== undefined && { timeoutMs }) };
}

function readInclude(entry: Section): "all" | ApiSelection | undefined {
  // The word is tried only for text, so that an object is not reported as wrong.
  return entry.isText("include") ? entry.choice<"all">("include", ["all"]) : readSelection(entry.section("include"));
}

function readSelection(section: Section | undefined): ApiSelection | undefined {
  if (!section) return undefined;
  const operationIds = section.texts("operationIds");
  const selection = { operationIds, tags: section.texts("tags"), paths: section.texts("paths") };
  section.rejectOthers();
  return present<ApiSelection>(selection);
}

function readAuth(entry: Section, onSecret: (value: string) => void): OpenApiUpstream["api"]["auth"] {
  const section = entry.section("auth");
  if (!section) return undefined;
  const credentials = section.names.map((scheme) => [scheme, readCredential(section, scheme)] as const);
  for (const [, credential] of credentials) {
    if (credential !== undefined) onSecret(typeof credential === "string" ? credential : credential.password);
  }
  return Object.fromEntries(credentials.flatMap(([scheme, value]) => (value === undefined ? [] : [[scheme, value]])));
}

function readCredential(section: Section, scheme: string): string | { username: string; password: string } | undefined {
  if (section.isText(scheme)) return section.text(scheme);
  const user = section.section(scheme);
  const username = user?.requiredText("username");
  const password = user?.requiredText("password");
  user?.rejectOthers();
  return username === undefined || password === undefined ? undefined : { username, password };
}
