// The log level of a legacy session, from the levels that modern requests ask for one by one.
import { isAtLeast, type LogLevel } from "@lethe/protocol";

export interface SessionLogLevel {
  /** Resolves when the session has this level, or the server has refused it: a call does not fail because of its log. */
  require(level: LogLevel): Promise<void>;
  /** Sets the level again in a new session. */
  restore(): Promise<void>;
}

/** The level only becomes more verbose. Requests that want less get their messages filtered. */
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
