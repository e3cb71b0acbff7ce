// What all sessions of one legacy edge share.
import type { Dispatch, Exchange, Implementation, Result } from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { LegacySettings } from "./legacy-options.ts";
import type { LostStreams } from "./lost-streams.ts";

/** The client at the other end of a session. */
export type Peer = Pick<Exchange, "caller" | "isAnonymous">;

/** On stdio there is no authentication, and only one peer. */
export const stdioPeer: Peer = { caller: undefined, isAnonymous: false };

/** Copies the peer of one HTTP request, so that the request itself can be freed. */
export function toPeer({ caller, isAnonymous }: Peer): Peer {
  return { caller, isAnonymous };
}

export interface LegacyContext {
  readonly dispatch: Dispatch;
  /** Names the server in `initialize` if the results of the core do not. */
  readonly info: Implementation;
  readonly settings: LegacySettings;
  readonly writeResult: ResultWriter;
  readonly lostStreams: LostStreams;
  /** Whether the Dispatch passes notifications of extensions on. Default: they are dropped. */
  readonly takesNotifications?: boolean;
}

/** Returns the JSON text of a result in the form of the given revision. */
export type ResultWriter = (revision: Revision, method: string, result: Result) => string;

/** Converts results that are sent often, such as the pages of a list, only once per revision. */
export function createResultWriter(): ResultWriter {
  const known = new Map<Revision, WeakMap<Result, string>>();
  return (revision, method, result) => {
    if (!Object.isFrozen(result)) return JSON.stringify(revision.toClientResult(method, result));
    let texts = known.get(revision);
    if (!texts) {
      texts = new WeakMap();
      known.set(revision, texts);
    }
    let text = texts.get(result);
    if (text === undefined) {
      text = JSON.stringify(revision.toClientResult(method, result));
      texts.set(result, text);
    }
    return text;
  };
}
