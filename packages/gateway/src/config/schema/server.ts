// One server in a file of a desktop client or editor, in all of their spellings. Other members are ignored.
import { z } from "zod";
import type { ApiSelection } from "./settings.ts";
import {
  choice,
  either,
  flag,
  milliseconds,
  mustBe,
  named,
  openSection,
  optional,
  positive,
  quoted,
  required,
  secret,
  section,
  text,
  texts,
  url,
  type Value,
  whole,
} from "./values.ts";

/** A transport of a server's entry, as the gateway names it. "http" stands for the detected one. */
export type EntryTransport = "stdio" | "http" | "streamable-http" | "http-sse";

/** Ignores letter case, dashes and underscores. */
const transports: ReadonlyMap<string, EntryTransport> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["http", "http"],
  ["streamablehttp", "streamable-http"],
  ["sse", "http-sse"],
  ["httpsse", "http-sse"],
]);

/** Returns undefined for an unknown name. */
export function toTransport(name: string): EntryTransport | undefined {
  return transports.get(name.toLowerCase().replace(/[-_]/g, ""));
}

const transportName = text.refine(
  (name) => toTransport(name) !== undefined,
  quoted('must be "stdio", "http", "streamable-http" or "sse"'),
);

const switchShape = {
  disabled: optional(flag, "Leaves the server out.", { default: false }),
  enabled: optional(flag, "Leaves the server out if false.", { default: true }),
};

/** Read first: a disabled server may be incomplete. */
export const entrySwitches: Value<{ disabled?: boolean; enabled?: boolean }> = openSection(switchShape);

const transportShape = {
  type: optional(
    transportName,
    'The transport: "stdio", "http", "streamable-http" or "sse". Default: follows from the other members.',
    {
      examples: ["http"],
    },
  ),
  transport: optional(transportName, "Another spelling of `type`.", { examples: ["http"] }),
  transportType: optional(transportName, "Another spelling of `type`.", { examples: ["http"] }),
};

export const entryTransports: Value<{ type?: string; transport?: string; transportType?: string }> =
  openSection(transportShape);

const sharedShape = {
  ...switchShape,
  ...transportShape,
  timeout: optional(
    positive,
    "A request without a result or progress fails after this time: in seconds up to 3,600, in ms above. Default: see `gateway.upstreams.NAME.timeoutMs`.",
    { examples: [60] },
  ),
  includeTools: optional(texts, "The offered tools (Gemini CLI). `*` matches any text. Default: all.", {
    examples: [["get_*"]],
  }),
  excludeTools: optional(texts, "Tools that are not offered (Gemini CLI).", { examples: [["delete_*"]] }),
  disabledTools: optional(texts, "Tools that are not offered (Roo Code).", { examples: [["delete_*"]] }),
};

/** VS Code allows numbers, and null for "not set". */
const scalar: Value<string | null> = z.union([text, z.number().transform(String), z.null()], mustBe("a string"));

export interface StdioEntry {
  command: string;
  args?: string[];
  env?: Readonly<Record<string, string | null>>;
  envFile?: string;
  cwd?: string;
  timeout?: number;
  includeTools?: string[];
  excludeTools?: string[];
  disabledTools?: string[];
}

export const stdioEntry: Value<StdioEntry> = openSection({
  command: required(text.min(1, { error: "must not be empty" }), "The program of a local server.", {
    examples: ["npx"],
  }),
  args: optional(texts, "Its arguments. Default: none.", {
    examples: [["-y", "@modelcontextprotocol/server-everything"]],
  }),
  env: optional(named(scalar), "Variables of its environment.", { examples: [{ API_KEY: "${API_KEY}" }] }),
  envFile: optional(text, "A file with variables, relative to the folder of the configuration.", {
    examples: ["${workspaceFolder}/.env"],
  }),
  cwd: optional(text, "Its working directory, relative to the folder of the configuration.", { examples: ["data"] }),
  ...sharedShape,
}).meta({ id: "LocalServer", description: "A server that the gateway starts as a command." });

export interface HttpEntry {
  url?: string;
  httpUrl?: string;
  serverUrl?: string;
  headers?: Readonly<Record<string, string>>;
  timeout?: number;
  includeTools?: string[];
  excludeTools?: string[];
  disabledTools?: string[];
}

/** The members that name the URL of a remote server. Files have one of them. */
export const urlMembers = ["url", "httpUrl", "serverUrl"] as const;

export const httpEntry: Value<HttpEntry> = openSection({
  url: optional(url, "The URL of a remote server.", { examples: ["https://api.githubcopilot.com/mcp/"] }),
  httpUrl: optional(url, "The URL of a remote server over Streamable HTTP (Gemini CLI).", {
    examples: ["https://mcp.example.com/mcp"],
  }),
  serverUrl: optional(url, "The URL of a remote server (Windsurf).", { examples: ["https://mcp.example.com/mcp"] }),
  headers: optional(named(text), "Headers of every MCP request to the server.", {
    examples: [{ Authorization: "Bearer ${GITHUB_TOKEN}" }],
  }),
  ...sharedShape,
}).meta({
  id: "RemoteServer",
  description: "A server at a URL.",
  anyOf: urlMembers.map((name) => ({ required: [name] })),
});

const selection: Value<ApiSelection> = section({
  operationIds: optional(texts, "Operations by their ids.", { examples: [["addPet"]] }),
  tags: optional(texts, "Operations by their tags.", { examples: [["pets"]] }),
  paths: optional(texts, "Operations by method and path. `*` matches one segment, `**` any number.", {
    examples: [["GET /pets/**"]],
  }),
}).meta({ id: "ApiSelection", description: "Operations of an HTTP API." });

const apiUser: Value<{ username: string; password: string }> = section({
  username: required(text, "The name of the user.", { examples: ["lethe"] }),
  password: required(secret(text), "The password of the user.", { examples: ["${API_PASSWORD}"] }),
});

export interface OpenApiEntry {
  openapi: string;
  baseUrl?: string;
  include?: "all" | ApiSelection;
  exclude?: ApiSelection;
  auth?: Readonly<Record<string, string | { username: string; password: string }>>;
  deprecated?: boolean;
  outputSchemas?: boolean;
  timeoutMs?: number;
  maxOperations?: number;
  maxResponseBytes?: number;
  maxConcurrent?: number;
  disabled?: boolean;
  enabled?: boolean;
}

export const openApiEntry: Value<OpenApiEntry> = section({
  openapi: required(text, "The URL or path of the OpenAPI document of an HTTP API, whose operations become tools.", {
    examples: ["./petstore.yaml"],
  }),
  baseUrl: optional(url, "Where requests go. Default: the first server of the document.", {
    examples: ["https://petstore.example/v1"],
  }),
  include: optional(either(choice("all"), selection), "The served operations. Default: see docs/openapi.md.", {
    examples: [{ tags: ["pets"] }],
  }),
  exclude: optional(selection, "Operations that are not served."),
  auth: optional(
    named(either(secret(text), apiUser)),
    "The credentials by the name of their security scheme. Needs `baseUrl`.",
    { examples: [{ api_key: "${PETSTORE_KEY}" }] },
  ),
  deprecated: optional(flag, "Whether to serve deprecated operations.", { examples: [true] }),
  outputSchemas: optional(flag, "Whether tools have an output schema.", { examples: [false] }),
  timeoutMs: optional(milliseconds(1), "The time limit of a request, in ms.", { examples: [30_000] }),
  maxOperations: optional(whole(1), "The number of operations that are served at most.", { examples: [100] }),
  maxResponseBytes: optional(whole(1), "The size of a response, in bytes.", { examples: [1_048_576] }),
  maxConcurrent: optional(whole(1), "The number of requests at a time.", { examples: [16] }),
  ...switchShape,
})
  .superRefine(({ auth, baseUrl }, context) => {
    if (auth === undefined || baseUrl !== undefined) return;
    const message = "needs baseUrl, so that the document does not decide where credentials are sent";
    context.addIssue({ code: "custom", path: ["auth"], message });
  })
  .meta({ id: "ApiServer", description: "An HTTP API whose operations are tools." });
