// The methods of the skills extension: skills of all servers of an endpoint in one list, and each under a URI that leads to its server.
// A skill is offered to callers that may read its SKILL.md.
import {
  type Caller,
  type Dispatch,
  type Exchange,
  expectString,
  invalidParams,
  isJsonObject,
  type JsonObject,
  type McpError,
  type ModernRequest,
  method,
  methodNotFound,
  parsePageParams,
  type Result,
  resourceNotFound,
} from "@lethe/protocol";
import { skillsExtension } from "@lethe/protocol/skills";
import { missingMetaKey } from "../../catalog/catalog-view.ts";
import type { Catalog } from "../../catalog/merge-catalogs.ts";
import type { UriRoute } from "../../catalog/public-uris.ts";
import { ambiguousUri } from "./unknown-target.ts";

export interface SkillMethodsOptions {
  catalog(request: ModernRequest, exchange: Exchange): Catalog;
  /** Sends the request to an upstream, with these params instead of those of the same names. */
  forward(upstream: string, params: JsonObject, request: ModernRequest, exchange: Exchange): Promise<Result>;
  mayRead(caller: Caller | undefined, upstream: string, uri: string): boolean;
  /** Why nothing is known of the only upstream of the endpoint. */
  unready(): McpError | undefined;
}

export function createSkillDispatch(options: SkillMethodsOptions): Dispatch {
  return (request, exchange) => {
    const catalog = options.catalog(request, exchange);
    const owners = catalog.offerings.filter(({ offered }) => offered.extensions?.[skillsExtension]);
    if (owners.length === 0) throw options.unready() ?? methodNotFound(request.method);
    const call = new SkillCall(options, catalog, { request, exchange });
    const upstreams = owners.map(({ upstream }) => upstream);
    return request.method === method.listSkills ? call.list(upstreams) : call.read(upstreams);
  };
}

/** One page of one upstream. */
interface Page {
  readonly upstream: string;
  readonly result: Result;
}

class SkillCall {
  readonly #options: SkillMethodsOptions;
  readonly #catalog: Catalog;
  readonly #request: ModernRequest;
  readonly #exchange: Exchange;

  constructor(
    options: SkillMethodsOptions,
    catalog: Catalog,
    { request, exchange }: { readonly request: ModernRequest; readonly exchange: Exchange },
  ) {
    this.#options = options;
    this.#catalog = catalog;
    this.#request = request;
    this.#exchange = exchange;
  }

  /** Each page has the next page of every upstream that has one. Upstreams that fail are left out and named, unless all fail. */
  async list(upstreams: readonly string[]): Promise<Result> {
    const { cursor } = parsePageParams(this.#request.params);
    const wanted =
      cursor === undefined ? upstreams.map((upstream) => [upstream] as const) : parseCursor(cursor, upstreams);
    const settled = await Promise.allSettled(wanted.map(([upstream, own]) => this.#forward(upstream, { cursor: own })));
    const pages: Page[] = [];
    const missing: string[] = [];
    let failure: unknown;
    for (const [index, outcome] of settled.entries()) {
      const upstream = wanted[index]?.[0] ?? "";
      if (outcome.status === "fulfilled") pages.push({ upstream, result: outcome.value });
      else {
        missing.push(upstream);
        failure = outcome.reason;
      }
    }
    if (pages.length === 0 && missing.length > 0) throw failure;
    return this.#toPage(pages, missing);
  }

  /** skills/get and resources/directory/read: at the one upstream that has the URI. */
  async read(upstreams: readonly string[]): Promise<Result> {
    const uri = expectString(this.#request.params, "uri");
    const owner = this.#ownerOf(uri, upstreams);
    const result = await this.#forward(owner.upstream, { uri: owner.uri });
    // An entry has the form of URI that the caller used: it compares the two.
    if (uri === owner.uri) return result;
    const { skill, resources } = result;
    return {
      ...result,
      ...(isJsonObject(skill) && { skill: this.#publish(owner.upstream, skill) }),
      ...(Array.isArray(resources) && { resources: resources.map((child) => this.#withUri(owner.upstream, child)) }),
    };
  }

  #forward(upstream: string, params: JsonObject): Promise<Result> {
    return this.#options.forward(upstream, params, this.#request, this.#exchange);
  }

  #ownerOf(uri: string, upstreams: readonly string[]): UriRoute {
    const { uris } = this.#catalog;
    const { mayRead } = this.#options;
    const owners = uris
      .ownersOf(uri)
      .filter(
        (route) => upstreams.includes(route.upstream) && mayRead(this.#exchange.caller, route.upstream, route.uri),
      );
    const [owner] = owners;
    if (!owner) throw resourceNotFound(uri);
    if (!uris.isAmbiguous(uri, owners)) return owner;
    throw ambiguousUri(
      uri,
      owners.map((route) => uris.qualify(route)),
    );
  }

  #toPage(pages: readonly Page[], missing: readonly string[]): Result {
    const skills = pages.flatMap(({ upstream, result }) => {
      const own = Array.isArray(result.skills) ? result.skills.filter(isJsonObject) : [];
      return own.filter((skill) => this.#isOffered(upstream, skill)).map((skill) => this.#publish(upstream, skill));
    });
    const next = pages.flatMap(({ upstream, result: { nextCursor } }) => {
      return typeof nextCursor === "string" ? [[upstream, nextCursor] as const] : [];
    });
    const lifetimes = pages.map(({ result: { ttlMs } }) => (typeof ttlMs === "number" ? ttlMs : 0));
    const isPublic = missing.length === 0 && pages.every(({ result }) => result.cacheScope === "public");
    const _meta = { ...pages[0]?.result._meta, ...(missing.length > 0 && { [missingMetaKey]: [...missing] }) };
    return {
      ...{ resultType: "complete", skills },
      ttlMs: missing.length > 0 ? 0 : Math.min(...lifetimes),
      cacheScope: isPublic ? "public" : "private",
      ...(next.length > 0 && { nextCursor: toCursor(next) }),
      ...(Object.keys(_meta).length > 0 && { _meta }),
    };
  }

  #isOffered(upstream: string, { uri }: JsonObject): boolean {
    if (typeof uri !== "string" || !this.#options.mayRead(this.#exchange.caller, upstream, uri)) return false;
    const { uris } = this.#catalog;
    return uris.ownersOf(uris.toReference(upstream, uri)).some((route) => route.upstream === upstream);
  }

  #publish(upstream: string, skill: JsonObject): JsonObject {
    const { resources } = skill;
    const files = Array.isArray(resources) && { resources: resources.map((file) => this.#withUri(upstream, file)) };
    return { ...this.#withUri(upstream, skill), ...files };
  }

  #withUri<T>(upstream: string, item: T): T {
    if (!isJsonObject(item) || typeof item.uri !== "string") return item;
    return { ...item, uri: this.#catalog.uris.toReference(upstream, item.uri) };
  }
}

type Position = readonly [upstream: string, cursor: string];

function toCursor(next: readonly Position[]): string {
  return Buffer.from(JSON.stringify(next)).toString("base64url");
}

/** Leaves out upstreams that are not served any more. Throws McpError -32602 unless `toCursor` made the cursor. */
function parseCursor(cursor: string, upstreams: readonly string[]): Position[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw invalidParams("invalid cursor");
  }
  if (!Array.isArray(parsed) || !parsed.every(isPosition)) throw invalidParams("invalid cursor");
  const named = new Map<string, string>(parsed);
  return upstreams.flatMap((upstream): Position[] => {
    const own = named.get(upstream);
    return own === undefined ? [] : [[upstream, own]];
  });
}

function isPosition(item: unknown): item is Position {
  return Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === "string");
}
