// The sessions of the playground, one per endpoint. They are kept while the user visits other pages of the console.
import { createPlaygroundSession, type PlaygroundSession } from "./playground-session.ts";

/** Each holds connections and the results of its latest calls. */
const maxSessions = 8;

const sessions = new Map<string, PlaygroundSession>();

/** Opens the session of an endpoint when it is first used. Beyond the limit, the oldest one is closed and its calls are cancelled. */
export function playgroundSessionOf(url: URL): PlaygroundSession {
  const known = sessions.get(url.href);
  if (known) return known;
  const [oldest] = sessions;
  if (oldest && sessions.size >= maxSessions) {
    const [href, session] = oldest;
    sessions.delete(href);
    session.leave();
  }
  const opened = createPlaygroundSession(url);
  sessions.set(url.href, opened);
  return opened;
}

addEventListener("pagehide", () => {
  for (const session of sessions.values()) session.leave();
});
addEventListener("pageshow", () => {
  for (const session of sessions.values()) session.stay();
});
