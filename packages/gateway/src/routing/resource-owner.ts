// Whose resource a URI is (J-58): listed, made from a template, or at least of a kind that somebody offers.
import type { Catalog } from "../catalog/merge-catalogs.ts";
import { schemeOf } from "../catalog/merge-resources.ts";

/**
 * In the order in which they are to be asked. A listed URI has one owner. Any other may belong to whoever has a template
 * that it fits, or resources of the same scheme, where its operator offers it: results link to resources that no list holds.
 */
export function candidatesFor(catalog: Catalog, uri: string): string[] {
  const listed = catalog.resourceRoutes.get(uri);
  if (listed) return [listed.upstream];
  const matching = catalog.templateRoutes.filter(({ matches }) => matches(uri)).map(({ upstream }) => upstream);
  const ofScheme = (catalog.schemeRoutes.get(schemeOf(uri)) ?? []).filter(({ offers }) => offers(uri));
  return [...new Set([...matching, ...ofScheme.map(({ upstream }) => upstream)])];
}

/** Who has the template of this very text, else who has one that the text fits. The first is asked. */
export function templateOwnersOf({ templateRoutes }: Catalog, uri: string): string[] {
  const same = templateRoutes.filter(({ uriTemplate }) => uriTemplate === uri);
  const found = same.length > 0 ? same : templateRoutes.filter(({ matches }) => matches(uri));
  return found.map(({ upstream }) => upstream);
}
