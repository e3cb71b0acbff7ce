// The URL of a server: which URLs are accepted, and how messages show them.

/** Parses a server's URL. Throws TypeError for a URL that cannot be requested. */
export function parseEndpoint(target: string | URL): URL {
  if (!URL.canParse(String(target))) throw new TypeError(`expected the URL of a server, got ${JSON.stringify(target)}`);
  const url = new URL(target);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    // "localhost:3000/mcp" is a URL whose scheme is "localhost". Other texts may contain a password.
    const address = url.protocol + url.pathname;
    const hint = /^\d{1,5}(?:\/|$)/.test(url.pathname) ? `${address}; did you mean http://${address}?` : url.protocol;
    throw new TypeError(`expected an http or https URL, got ${hint}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("credentials in a URL end up in logs: send them in the authorization header");
  }
  url.hash = "";
  return url;
}

/** The URL without its query, which may contain a secret. */
export function nameOfEndpoint(url: URL): string {
  return url.origin + url.pathname;
}
