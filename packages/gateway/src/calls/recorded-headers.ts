// The HTTP headers that are recorded of a step: those that say how a message is read and routed. Headers with credentials are never read.
const shown = [
  ...[
    "host",
    "origin",
    "user-agent",
    "accept",
    "content-type",
    "content-length",
    "cache-control",
    "retry-after",
    "server",
  ],
  ...[
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "traceparent",
    "x-request-id",
    "x-forwarded-for",
  ],
] as const;
/** It gives access to the session, so that only its first characters are recorded. */
const sessionHeader = "mcp-session-id";
const shownOfSession = 8;
const maxValueLength = 256;

/** `read` returns the value of a header by lower-case name. Returns undefined where there is none. */
export function recordedHeaders(
  read: (name: string) => string | undefined,
): Readonly<Record<string, string>> | undefined {
  let headers: Record<string, string> | undefined;
  for (const name of shown) {
    const value = read(name);
    if (value === undefined) continue;
    headers ??= {};
    headers[name] = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;
  }
  const session = read(sessionHeader);
  return session === undefined ? headers : { ...headers, [sessionHeader]: `${session.slice(0, shownOfSession)}…` };
}
