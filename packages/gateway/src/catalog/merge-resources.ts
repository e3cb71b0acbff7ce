// The resources of many catalogues become one list, with the ways to their owners (J-58). What an operator does not offer is
// neither listed nor found by its URI.
import type { Resource, ResourceTemplate } from "@lethe/protocol";
import type { CatalogPart, CatalogProblem } from "./catalog-part.ts";
import type { Route, SchemeRoute, TemplateRoute } from "./route.ts";
import { createUriMatcher } from "./uri-matcher.ts";
import { readingsOf } from "./uri-readings.ts";

export interface MergedResources {
  resources: Resource[];
  templates: ResourceTemplate[];
  /** By URI. */
  resourceRoutes: ReadonlyMap<string, Route>;
  /** In the order of the lists: the first that matches wins. */
  templateRoutes: readonly TemplateRoute[];
  /** By the scheme of URIs: who offers such resources. A result may link to one that no list holds. */
  schemeRoutes: ReadonlyMap<string, readonly SchemeRoute[]>;
}

/** URIs stay what they are: the first upstream that lists one has it. */
export function mergeResources(parts: readonly CatalogPart[], problems: CatalogProblem[]): MergedResources {
  const resourceRoutes = new Map<string, Route>();
  const resources: Resource[] = [];
  const templates: ResourceTemplate[] = [];
  const templateRoutes: TemplateRoute[] = [];
  const schemeRoutes = new Map<string, SchemeRoute[]>();
  for (const { catalog, rules } of parts) {
    const { upstream } = catalog;
    const rule = rules.resources;
    const schemes = new Set<string>();
    /** By the upstream that has them first. */
    const lost = new Map<string, string[]>();
    for (const resource of catalog.resources) {
      const { uri } = resource;
      if (!rule.offers(uri)) continue;
      const taken = resourceRoutes.get(uri);
      if (taken) {
        const hidden = lost.get(taken.upstream);
        if (hidden) hidden.push(uri);
        else lost.set(taken.upstream, [uri]);
        continue;
      }
      resourceRoutes.set(uri, { upstream, name: uri });
      resources.push(resource);
      schemes.add(schemeOf(uri));
    }
    for (const [owner, uris] of lost) problems.push({ upstream, problem: toProblem(upstream, owner, uris) });
    const hidden: TemplateRoute["matches"][] = [];
    for (const template of catalog.templates) {
      const { uriTemplate } = template;
      const fits = createUriMatcher(uriTemplate).matches;
      if (!rule.offers(uriTemplate, "template")) {
        hidden.push(fits);
        continue;
      }
      templates.push(template);
      const offers = rule.offersFrom(uriTemplate);
      templateRoutes.push({ upstream, uriTemplate, matches: (uri) => fits(uri) && offers(uri) });
      schemes.add(schemeOf(uriTemplate));
    }
    const isHidden = (uri: string) =>
      hidden.length > 0 && readingsOf(uri).all.some(({ text }) => hidden.some((fits) => fits(text)));
    const offers = (uri: string) => rule.offers(uri) && !isHidden(uri);
    for (const scheme of schemes) {
      schemeRoutes.set(scheme, [...(schemeRoutes.get(scheme) ?? []), { upstream, offers }]);
    }
  }
  return { resources, templates, resourceRoutes, templateRoutes, schemeRoutes };
}

/** One for all: two servers of a kind share whatever both have. */
function toProblem(upstream: string, owner: string, [first = "", ...others]: readonly string[]): string {
  const elsewhere = `the endpoint of ${upstream} alone has`;
  if (others.length === 0) return `resource ${first} of ${upstream} is hidden by the one of ${owner}; ${elsewhere} it`;
  return `resource ${first} and ${others.length} more of ${upstream} are hidden by those of ${owner}; ${elsewhere} them`;
}

export function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(":") + 1);
}
