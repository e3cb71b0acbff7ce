// Selects the resources of an upstream that are offered, by the operator's lists of URIs and templates.
import type { Exposure } from "../config/schema/settings.ts";
import { createUriPatterns, type UriPatterns } from "./uri-patterns.ts";
import { createUriReader, type UriKind } from "./uri-readings.ts";

export interface UriRule {
  /** Whether a URI, or a template by its text, is offered. */
  offers(uri: string, kind?: UriKind): boolean;
  /** Whether a URI made from an offered template is offered. The lists name templates by their text, or URIs. */
  offersFrom(uriTemplate: string): (uri: string) => boolean;
}

export type UriExposure = Pick<Exposure, "allow" | "deny">;

export function createUriRule({ allow, deny = [] }: UriExposure = {}): UriRule {
  if (!allow && deny.length === 0) return { offers: () => true, offersFrom: () => () => true };
  const denied = createUriPatterns(deny);
  const read = createUriReader();

  const listed = allow && createUriPatterns(allow);

  function offer(allowed: UriPatterns | undefined): UriRule["offers"] {
    return (uri, kind) => {
      const readings = read(uri, kind);
      return !denied.matchesSome(readings) && (!allowed || allowed.matchesEvery(readings));
    };
  }

  return {
    offers: offer(listed),
    offersFrom(uriTemplate) {
      const offers = offer(listed && createUriPatterns([toPattern(uriTemplate)], listed));
      return (uri) => offers(uri);
    },
  };
}

/** A star for each expression: an escaped slash in a value is fine, as long as the URI stays below the template's text. */
function toPattern(uriTemplate: string): string {
  return uriTemplate.replaceAll("*", "%2A").replace(/\{[^{}]*\}/g, "*");
}
