// Parses the token of an Authorization header (G-3, G-6). Tokens in the query or the body are ignored.

/** The longest valid token; node:http allows 16 KiB for all headers together. */
const maxTokenLength = 16_384;

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** "missing" without the bearer scheme, "malformed" without a well-formed token. */
export function parseBearer(authorization: string | undefined): { token: string } | "missing" | "malformed" {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) return "missing";
  const token = bearer.exec(authorization)?.[1];
  return token === undefined || token.length > maxTokenLength ? "malformed" : { token };
}
