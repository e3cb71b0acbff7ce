// What no answer may be, whatever was asked: a status 5xx, or an error -32603 that hides a defect.

/** Errors -32603 that a server of ours gives on purpose: its limits of time and number, and what ended before its answer. */
const rightErrors = [
  /^cancelled/,
  /^request timed out/,
  /^the request took longer/,
  /is lost$/,
  /^the client has gone/,
  /^the tool has changed/,
  /^input was asked for/,
  /^too many subscriptions/,
  /^the client did not answer/,
  /^the task was cancelled/,
];

export interface AnswerToCheck {
  /** Absent on stdio. */
  readonly status?: number;
  readonly text: string;
  /** A server that is at a limit of its own may say so: 503 with Retry-After. */
  readonly mayBeBusy?: boolean;
}

/** What is wrong with it; undefined when nothing is. */
export function wrongAnswer({ status = 200, text, mayBeBusy = false }: AnswerToCheck): string | undefined {
  if (status >= 500 && !(status === 503 && mayBeBusy)) return `status ${status}: ${text.slice(0, 300)}`;
  for (const [, message] of text.matchAll(/"code":-32603,"message":"((?:[^"\\]|\\.)*)"/g)) {
    if (status === 503 || rightErrors.some((right) => right.test(message ?? ""))) continue;
    return `error -32603: ${message}`;
  }
  return undefined;
}
