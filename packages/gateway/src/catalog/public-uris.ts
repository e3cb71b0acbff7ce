// Public URIs of a merged endpoint. Some include the upstream, so that each leads to its owner regardless of other upstreams.

/** An upstream's resource, by the upstream's own URI. */
export interface UriRoute {
  readonly upstream: string;
  readonly uri: string;
}

export interface QualifiedUris {
  /** As `qualifyUri`. */
  qualify(upstream: string, uri: string): string;
  /** Returns the route of a URI that `qualify` made, or undefined for any other URI. */
  resolve(publicUri: string): UriRoute | undefined;
}

const uiScheme = "ui://";
const separator = "+";

/** Letter case does not count in a scheme: a host may show `UI://bank+x` as `ui://bank+x`. */
export function isUiUri(uri: string): boolean {
  return uri.slice(0, uiScheme.length).toLowerCase() === uiScheme;
}

/** `upstreams` are all upstreams of the endpoint, read or not. */
export function createQualifiedUris(upstreams: readonly string[]): QualifiedUris {
  const byLabel = new Map(upstreams.map((upstream) => [toLabel(upstream), upstream]));
  const maxLabel = Math.max(0, ...[...byLabel.keys()].map(({ length }) => length));

  function split(text: string): UriRoute | undefined {
    const end = text.indexOf(separator);
    const upstream = end === -1 || end > maxLabel ? undefined : byLabel.get(text.slice(0, end).toLowerCase());
    return upstream === undefined ? undefined : { upstream, uri: text.slice(end + 1) };
  }

  return {
    qualify: qualifyUri,
    resolve(publicUri) {
      if (!isUiUri(publicUri)) return split(publicUri);
      const route = split(publicUri.slice(uiScheme.length));
      return route && { upstream: route.upstream, uri: `${publicUri.slice(0, uiScheme.length)}${route.uri}` };
    },
  };
}

/** Returns `ui://{label}+{rest}` for `ui://{rest}`, else `{label}+{uri}`. The same applies to URI templates. */
export function qualifyUri(upstream: string, uri: string): string {
  const start = `${toLabel(upstream)}${separator}`;
  if (!isUiUri(uri)) return `${start}${uri}`;
  return `${uri.slice(0, uiScheme.length)}${start}${uri.slice(uiScheme.length)}`;
}

/**
 * The name of an upstream as a part of a URI scheme, in which letter case does not count (RFC 3986, 3.1). Other characters
 * than a-z, 0-9 and "-" become "." and two hexadecimal digits. A label that would not begin with a letter begins with "u.".
 */
export function toLabel(upstream: string): string {
  const label = upstream.replace(/[^a-z0-9-]/g, toEscape);
  return /^[a-z]/.test(label) ? label : `u.${label}`;
}

function toEscape(character: string): string {
  return `.${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
