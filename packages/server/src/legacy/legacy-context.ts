// What all sessions of one legacy edge share.
import type { Dispatch, Implementation, Result } from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { LegacySettings } from "./legacy-options.ts";
import type { LostStreams } from "./transports/lost-streams.ts";

export interface LegacyContext {
  readonly dispatch: Dispatch;
  /** For a core whose results do not say which server they are from. */
  readonly info: Implementation;
  readonly settings: LegacySettings;
  readonly writeResult: ResultWriter;
  readonly lostStreams: LostStreams;
}

/** The JSON text of a modern result, as a client of an older revision takes it. */
export type ResultWriter = (revision: Revision, method: string, result: Result) => string;

/** Results that are made once and sent often, like pages of a list, are changed once per revision, too. */
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
