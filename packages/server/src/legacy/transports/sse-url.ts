// The URLs of HTTP+SSE: which of them belong to its streams, and the session ids in them.

/** The parameter name that all servers of this revision use. */
export const idParam = "session_id";

/** True for a POST that belongs to a stream, as far as its URL shows. `isRelayed`: also to a stream of another process. */
export function isSsePost(url: string, paths: { readonly messagesPath: string }, isRelayed: boolean): boolean {
  if (pathOf(url).endsWith(paths.messagesPath)) return true;
  return isRelayed && url.includes(idParam) && addressOf(idOf(url) ?? "") !== undefined;
}

export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/** The address of the process that holds the stream. Undefined for an id without one. */
export function addressOf(id: string): string | undefined {
  return /^([A-Za-z0-9_-]{1,32})\./.exec(id)?.[1];
}

export function idOf(url: string): string | undefined {
  return new URLSearchParams(url.slice(pathOf(url).length)).get(idParam) ?? undefined;
}
