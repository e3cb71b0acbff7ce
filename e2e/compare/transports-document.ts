// docs/transports.md has two generated parts: the built-in server, and below this heading one FastMCP server.
export const fastmcpHeading = "# FastMCP 2.14.0 over four transports";

/** With the heading; empty if the document has no such part. */
export function fastmcpPartOf(document: string): string {
  const start = document.indexOf(`\n${fastmcpHeading}`);
  return start === -1 ? "" : document.slice(start);
}
