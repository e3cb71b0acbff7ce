// docs/transports.md has two generated parts: the built-in server and, below this heading, a FastMCP server.
export const fastmcpHeading = "# FastMCP 2.14.0 over four transports";

/** Returns the FastMCP part with its heading, or an empty string without one. */
export function fastmcpPartOf(document: string): string {
  const start = document.indexOf(`\n${fastmcpHeading}`);
  return start === -1 ? "" : document.slice(start);
}
