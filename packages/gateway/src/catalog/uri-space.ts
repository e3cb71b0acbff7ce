// Maps the URIs of an endpoint to upstreams and back (J-58). A URI never leads to another upstream than the one it was
// published for.
import type { Resource, ResourceTemplate } from "@lethe/protocol";
import type { FormerOwners } from "./former-owners.ts";
import { toCounted } from "./offered-names.ts";
import type { OfferedResources } from "./offered-resources.ts";
import { createQualifiedUris, isUiUri, type QualifiedUris, type UriRoute } from "./public-uris.ts";
import { toShown } from "./valid-items.ts";

export interface UriSpaceOptions {
  /** The upstreams that were read, in the order of the lists. */
  readonly parts: readonly OfferedResources[];
  /** All upstreams of the endpoint, read or not. */
  readonly upstreams: readonly string[];
  /** False for an endpoint of one upstream: its URIs are the upstream's own. */
  readonly isMerged: boolean;
  readonly former: FormerOwners;
  readonly before?: UriSpace | undefined;
}

export class UriSpace {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly #parts: ReadonlyMap<string, OfferedResources>;
  readonly #isMerged: boolean;
  /** Whether several upstreams may have the same URI. */
  readonly #isContested: boolean;
  readonly #former: FormerOwners;
  readonly #qualified: QualifiedUris;
  /** URIs that one upstream lists. */
  readonly #listed: Map<string, string> = new Map();
  /** URIs that several upstreams list. */
  readonly #shared: Map<string, string[]> = new Map();

  constructor({ parts, upstreams, isMerged, former, before }: UriSpaceOptions) {
    this.#parts = new Map(parts.map((part) => [part.upstream, part]));
    this.#isMerged = isMerged;
    this.#isContested = isMerged && upstreams.length > 1;
    this.#former = former;
    this.#qualified = createQualifiedUris(isMerged ? upstreams : []);
    for (const part of parts) this.#list(part);
    if (this.#isContested && before) this.#remember(before);
    this.resources = parts.flatMap((part) => this.#toPublicResources(part));
    this.templates = parts.flatMap((part) => this.#toPublicTemplates(part));
  }

  /** One report per upstream whose URIs others list too. */
  get problems(): { upstream: string; problem: string }[] {
    const byUpstream = new Map<string, string[]>();
    for (const [uri, upstreams] of this.#shared) {
      for (const upstream of upstreams) {
        const uris = byUpstream.get(upstream);
        if (uris) uris.push(uri);
        else byUpstream.set(upstream, [uri]);
      }
    }
    return [...byUpstream].map(([upstream, uris]) => {
      const uri = this.qualify({ upstream, uri: uris[0] ?? "" });
      const what = `${toCounted("resource", uris)} of ${upstream} offered under a URI that includes the server`;
      return { upstream, problem: `${what}, such as ${toShown(uri)}: other servers list the same URI` };
    });
  }

  /** Returns the public form of a URI that the upstream lists or names in a result. */
  toPublic(upstream: string, uri: string): string {
    if (!this.#isMerged || this.#isPlain(upstream, uri)) return uri;
    return this.#qualified.qualify(upstream, uri);
  }

  /** Returns the public form regardless of the lists: the same text while the endpoint has the same upstreams. */
  toReference(upstream: string, uri: string): string {
    return this.#isMerged && (this.#isContested || isUiUri(uri)) ? this.#qualified.qualify(upstream, uri) : uri;
  }

  /** Returns the form that includes the upstream. */
  qualify({ upstream, uri }: UriRoute): string {
    return this.#isMerged ? this.#qualified.qualify(upstream, uri) : uri;
  }

  /** Returns the upstreams that may have the resource, with their own URIs. If there are several, the caller must name one. */
  ownersOf(publicUri: string): UriRoute[] {
    const route = this.#qualified.resolve(publicUri);
    if (route) return this.#parts.get(route.upstream)?.offers(route.uri) ? [route] : [];
    return this.#claimantsOf(publicUri).map((upstream) => ({ upstream, uri: publicUri }));
  }

  /** Returns the own URI of this upstream, if the URI leads to it. */
  routeTo(upstream: string, publicUri: string): UriRoute {
    const route = this.#qualified.resolve(publicUri);
    return route?.upstream === upstream ? route : { upstream, uri: publicUri };
  }

  /** Returns the upstreams with exactly this template, else those with a template that matches the text. */
  templateOwnersOf(publicTemplate: string): UriRoute[] {
    const route = this.#qualified.resolve(publicTemplate);
    if (route) {
      const part = this.#parts.get(route.upstream);
      return part?.hasTemplate(route.uri) || part?.makes(route.uri) ? [route] : [];
    }
    const parts = [...this.#parts.values()];
    const same = parts.filter((part) => part.hasTemplate(publicTemplate));
    const found = same.length > 0 ? same : parts.filter((part) => part.makes(publicTemplate));
    return found.map(({ upstream }) => ({ upstream, uri: publicTemplate }));
  }

  /** Whether a plain URI with these owners leads to none of them. */
  isAmbiguous(publicUri: string, owners: readonly UriRoute[]): boolean {
    if (owners.length > 1) return true;
    if (!this.#isContested || this.#qualified.resolve(publicUri) !== undefined) return false;
    return isUiUri(publicUri) || this.#isWebLink(publicUri);
  }

  /** No upstream lists it. Results of any upstream may contain it unchanged, for clients to open. */
  #isWebLink(uri: string): boolean {
    return isWebUri(uri) && !this.#listed.has(uri) && !this.#shared.has(uri) && this.#former.get(uri) === undefined;
  }

  #list({ upstream, resources }: OfferedResources): void {
    for (const uri of resources.keys()) {
      const listers = this.#shared.get(uri);
      const first = this.#listed.get(uri);
      if (listers) listers.push(upstream);
      else if (first === undefined) this.#listed.set(uri, upstream);
      else {
        this.#listed.delete(uri);
        this.#shared.set(uri, [first, upstream]);
      }
    }
  }

  #remember(before: UriSpace): void {
    for (const [uri, upstream] of before.#listed) {
      if (this.#listed.get(uri) !== upstream && before.#isPlain(upstream, uri)) this.#former.add(uri, upstream);
    }
  }

  #isPlain(upstream: string, uri: string): boolean {
    if (!this.#isMerged) return true;
    if (isUiUri(uri) || this.#qualified.resolve(uri) !== undefined) return false;
    if (!this.#isContested) return true;
    const owner = this.#listed.get(uri);
    if (owner === upstream) return (this.#former.get(uri) ?? upstream) === upstream;
    // Clients open a link to the web themselves, if no upstream has it as a resource.
    return this.#isWebLink(uri) && !this.#offersOfItself(upstream, uri);
  }

  /** By a template, or because the upstream lists other resources with the scheme. */
  #offersOfItself(upstream: string, uri: string): boolean {
    const part = this.#parts.get(upstream);
    return part !== undefined && (part.makes(uri) || part.mayLinkTo(uri));
  }

  #toPublicResources({ upstream, resources }: OfferedResources): Resource[] {
    const published: Resource[] = [];
    for (const resource of resources.values()) {
      const { uri } = resource;
      const isPlain = this.#isPlain(upstream, uri);
      if (isPlain && this.#isContested) this.#former.delete(uri);
      published.push(isPlain ? resource : toCopy(resource, "uri", this.#qualified.qualify(upstream, uri)));
    }
    return published;
  }

  #toPublicTemplates({ upstream, templates }: OfferedResources): readonly ResourceTemplate[] {
    return templates.map((template) => {
      const uriTemplate = this.toReference(upstream, template.uriTemplate);
      return uriTemplate === template.uriTemplate ? template : toCopy(template, "uriTemplate", uriTemplate);
    });
  }

  #claimantsOf(uri: string): readonly string[] {
    const owner = this.#listed.get(uri);
    const former = this.#isContested ? this.#former.get(uri) : undefined;
    if (former !== undefined && owner !== former && !this.#shared.has(uri)) {
      return this.#parts.get(former)?.offers(uri) ? [former] : [];
    }
    if (owner !== undefined) return [owner];
    const listers = this.#shared.get(uri);
    if (listers) return listers;
    const parts = [...this.#parts.values()];
    const makers = parts.filter((part) => part.makes(uri));
    const found = makers.length > 0 ? makers : parts.filter((part) => part.mayLinkTo(uri));
    return found.map(({ upstream }) => upstream);
  }
}

const copies = new WeakMap<object, object>();

/** Returns the same object for the same change, so that unchanged items can be recognized. */
function toCopy<T extends object, K extends keyof T>(item: T, key: K, value: T[K]): T {
  const known = copies.get(item) as T | undefined;
  if (known?.[key] === value) return known;
  const copy = { ...item, [key]: value };
  copies.set(item, copy);
  return copy;
}

function isWebUri(uri: string): boolean {
  return /^https?:/i.test(uri);
}
