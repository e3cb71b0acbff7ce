// The error that a pending input request throws into its handler when the round ends, so that `finally` blocks run.

/** Not a failure. A handler that catches it must rethrow it; the call returns `input_required` in any case. */
export class Suspension extends Error {
  constructor() {
    super("the call waits for input and runs again from the top when it comes: do not catch this");
    this.name = "Suspension";
  }
}
