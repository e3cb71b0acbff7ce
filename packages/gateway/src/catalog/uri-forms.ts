// In how many ways one URI can be read: a rule that looks at its text must not be got round by another spelling.

const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** As it is, and with dot segments resolved and needless encoding undone (RFC 3986, 6.2.2). */
export function uriFormsOf(uri: string): string[] {
  const resolved = URL.canParse(uri) ? new URL(uri).href : uri;
  const plain = resolved.replace(encodedUnreserved, (code) => decodeURIComponent(code));
  return [...new Set([uri, resolved, plain])];
}
