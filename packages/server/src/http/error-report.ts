// Where errors go that no peer may see.

export type ErrorReport = (error: unknown) => void;

/** Never throws: a log that fails must not fail a request. Default: console.error. */
export function toErrorReport(report: ErrorReport = console.error): ErrorReport {
  return (error) => {
    try {
      report(error);
    } catch (failure) {
      console.error(failure);
    }
  };
}
