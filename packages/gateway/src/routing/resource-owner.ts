// Whose resource a URI is (J-58): listed, made from a template, or at least of a kind that somebody offers.
import { type Catalog, schemeOf } from "../catalog/merge-catalogs.ts";

/**
 * In the order in which they are to be asked. A listed URI has one owner. Any other may belong to whoever has a template
 * that it fits, or resources of the same scheme: results link to resources that no list holds.
 */
export function candidatesFor(catalog: Catalog, uri: string): string[] {
  const listed = catalog.resourceRoutes.get(uri);
  if (listed) return [listed.upstream];
  const matching = catalog.templateRoutes.filter(({ matches }) => matches(uri)).map(({ upstream }) => upstream);
  return [...new Set([...matching, ...(catalog.schemeRoutes.get(schemeOf(uri)) ?? [])])];
}
