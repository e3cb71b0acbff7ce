// Detects responses that no request may cause: a status 5xx, or an error -32603 that hides a defect.

/** Intended errors -32603: exceeded limits, and processes or streams that ended before their response. */
const rightErrors = [
  /^cancelled/,
  /^request timed out/,
  /^the request took longer/,
  /is lost$/,
  /^the client has gone/,
  /^the tool has changed/,
  /^input was requested/,
  /^too many subscriptions/,
  /^the client did not answer/,
  /^the task was cancelled/,
];

export interface AnswerToCheck {
  /** Absent on stdio. */
  readonly status?: number;
  readonly text: string;
  /** True if the server may reach its own limits and answer 503 with Retry-After. */
  readonly mayBeBusy?: boolean;
}

/** Returns the problem of a response, or undefined. */
export function wrongAnswer({ status = 200, text, mayBeBusy = false }: AnswerToCheck): string | undefined {
  if (status >= 500 && !(status === 503 && mayBeBusy)) return `status ${status}: ${text.slice(0, 300)}`;
  for (const [, message] of text.matchAll(/"code":-32603,"message":"((?:[^"\\]|\\.)*)"/g)) {
    if (status === 503 || rightErrors.some((right) => right.test(message ?? ""))) continue;
    return `error -32603: ${message}`;
  }
  return undefined;
}
