// The offered resources of one upstream: those it lists, and other URIs that it may have.
import type { Resource, ResourceTemplate } from "@lethe/protocol";
import { maxTemplateUriLength } from "./list-limits.ts";
import { TemplateIndex } from "./template-index.ts";
import { readingsOf } from "./uri-readings.ts";
import type { UriRule } from "./uri-rule.ts";

export class OfferedResources {
  readonly upstream: string;
  /** By the upstream's own URI. */
  readonly resources: ReadonlyMap<string, Resource>;
  readonly templates: readonly ResourceTemplate[];
  readonly #rule: UriRule;
  readonly #index: TemplateIndex = new TemplateIndex();
  /** Templates that are not offered. */
  readonly #hidden: TemplateIndex = new TemplateIndex();
  readonly #schemes: Set<string> = new Set();

  constructor(
    upstream: string,
    lists: { readonly resources: readonly Resource[]; readonly templates: readonly ResourceTemplate[] },
    rule: UriRule,
  ) {
    this.upstream = upstream;
    this.#rule = rule;
    const resources = new Map<string, Resource>();
    for (const resource of lists.resources) {
      const { uri } = resource;
      if (!rule.offers(uri) || resources.has(uri)) continue;
      resources.set(uri, resource);
      this.#schemes.add(schemeOf(uri));
    }
    this.resources = resources;
    this.templates = lists.templates.filter(({ uriTemplate }) => this.#addTemplate(uriTemplate));
  }

  #addTemplate(uriTemplate: string): boolean {
    if (!this.#rule.offers(uriTemplate, "template")) {
      this.#hidden.add(uriTemplate);
      return false;
    }
    if (this.#index.has(uriTemplate)) return false;
    this.#index.add(uriTemplate, this.#rule.offersFrom(uriTemplate));
    this.#schemes.add(schemeOf(uriTemplate));
    return true;
  }

  /** Whether the upstream lists a template with exactly this text. */
  hasTemplate(uriTemplate: string): boolean {
    return this.#index.has(uriTemplate);
  }

  /** Whether one of its templates matches the URI and the URI is offered. */
  makes(uri: string): boolean {
    return this.#index.fits(uri);
  }

  /** Whether it has resources with the same scheme and the URI is offered. Results link to unlisted resources. */
  mayLinkTo(uri: string): boolean {
    return this.#schemes.has(schemeOf(uri)) && this.#isOffered(uri);
  }

  /** Whether it may be asked for a URI that names this upstream. */
  offers(uri: string): boolean {
    return this.resources.has(uri) || this.makes(uri) || this.#isOffered(uri);
  }

  #isOffered(uri: string): boolean {
    if (uri.length > maxTemplateUriLength || !this.#rule.offers(uri)) return false;
    return this.#hidden.size === 0 || !readingsOf(uri).all.some(({ text }) => this.#hidden.fits(text));
  }
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(":") + 1);
}
