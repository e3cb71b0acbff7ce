// The one log level of a legacy session (D-25), from the levels that modern requests ask for one by one (E-40).
import { isAtLeast, type LogLevel } from "@lethe/protocol";

export interface SessionLogLevel {
  /** Resolves when messages of `level` come, or the server has failed to promise it: a call does not fail over its log. */
  require(level: LogLevel): Promise<void>;
  /** After a new session, which has no level. */
  restore(): Promise<void>;
}

/** Only ever becomes more talkative: whoever wants less does not get the rest. */
export function createSessionLogLevel(set: (level: LogLevel) => Promise<unknown>): SessionLogLevel {
  let current: LogLevel | undefined;
  let settled: Promise<void> = Promise.resolve();

  function apply(level: LogLevel): Promise<void> {
    current = level;
    settled = set(level).then(
      () => {},
      () => {},
    );
    return settled;
  }

  return {
    require: (level) => (current !== undefined && isAtLeast(level, current) ? settled : apply(level)),
    restore: () => (current === undefined ? settled : apply(current)),
  };
}
