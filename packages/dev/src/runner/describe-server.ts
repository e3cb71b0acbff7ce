// What the command must know about a loaded server: its lists, and the options that belong to the process which listens.
import { createHash } from "node:crypto";
import {
  type Exchange,
  type JsonObject,
  metaKey,
  method,
  modelRevision,
  parseParamHeaders,
  type Result,
} from "@lethe/protocol";
import type { ServerOptions } from "@lethe/server";
import type { Servable } from "@lethe/server/node";
import type { ListKind, LoadedServer, ServedList } from "../channel/runner-messages.ts";
import type { Served } from "./program.ts";

/** Pages of one list. */
const maxPages = 100;
/** How long the lists may take. Mounted servers may be slow; the server is served meanwhile. */
const listsMs = 2_000;

const methodsOf: Readonly<Record<ListKind, readonly (readonly [string, string])[]>> = {
  tools: [[method.listTools, "tools"]],
  prompts: [[method.listPrompts, "prompts"]],
  resources: [
    [method.listResources, "resources"],
    [method.listResourceTemplates, "resourceTemplates"],
  ],
};

export async function describeServer(served: Served, options: ServerOptions): Promise<LoadedServer> {
  const { server } = served;
  const items = await Promise.all(
    (Object.keys(methodsOf) as ListKind[]).map(async (kind) => [kind, await itemsOf(server, kind)] as const),
  );
  const byKind = Object.fromEntries(items) as Record<ListKind, readonly JsonObject[] | undefined>;
  const dependsOnCaller = options.visible !== undefined;
  const { authenticator } = server;
  return {
    info: server.info ?? { name: "server", version: "0" },
    serveOptions: served.options && dataOf(served.options),
    legacyOptions: dataOf(options.legacy ?? {}),
    authenticator: authenticator && { metadata: authenticator.metadata, metadataPaths: authenticator.metadataPaths },
    callbackPath: server.callbacks?.path,
    lists: Object.fromEntries(
      items.map(([kind, list]) => [kind, toServedList(list, dependsOnCaller)]),
    ) as LoadedServer["lists"],
    paramHeaders: paramHeadersOf(byKind.tools ?? []),
  };
}

function toServedList(items: readonly JsonObject[] | undefined, dependsOnCaller: boolean): ServedList {
  if (!items || dependsOnCaller) return { count: items?.length ?? 0, digest: undefined };
  return { count: items.length, digest: createHash("sha256").update(JSON.stringify(items)).digest("base64") };
}

/** Undefined if the list cannot be read, or not in time. */
async function itemsOf(server: Servable, kind: ListKind): Promise<readonly JsonObject[] | undefined> {
  const ending = AbortSignal.timeout(listsMs);
  const items: JsonObject[] = [];
  for (const [name, member] of methodsOf[kind]) {
    let cursor: unknown;
    for (let page = 0; page < maxPages; page += 1) {
      const result = await list(server, { name, cursor, signal: ending }).catch(() => undefined);
      if (ending.aborted) return undefined;
      // A server without prompts does not know the method.
      if (!result) break;
      items.push(...((result[member] ?? []) as JsonObject[]));
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
  }
  return items;
}

interface Page {
  readonly name: string;
  readonly cursor: unknown;
  readonly signal: AbortSignal;
}

function list(server: Servable, { name, cursor, signal }: Page): Promise<Result & JsonObject> {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
  const params = { _meta, ...(cursor !== undefined && { cursor }) };
  const exchange: Exchange = { signal, caller: undefined, notify: () => true, drained: () => Promise.resolve() };
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const listed = server.dispatch({ id: 0, method: name, params }, exchange);
  return Promise.race([listed, late]) as Promise<Result & JsonObject>;
}

function paramHeadersOf(tools: readonly JsonObject[]): string[] {
  const names = tools.flatMap(({ inputSchema }) => {
    try {
      return parseParamHeaders(inputSchema as JsonObject).map(({ header }) => header.toLowerCase());
    } catch {
      return [];
    }
  });
  return [...new Set(names)];
}

/** Drops functions and objects with methods, such as stores. */
function dataOf(options: object): JsonObject {
  const kept = Object.entries(options).filter(([, value]) => isData(value));
  return Object.fromEntries(kept);
}

function isData(value: unknown): boolean {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isData);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData);
}
