// What a pending question throws into its handler when the round ends without an answer, so that `finally` blocks run.

/** Not a failure. Whoever catches it has to throw it on; the call answers `input_required` either way. */
export class Suspension extends Error {
  constructor() {
    super("the call waits for input and runs again from the top when it comes: do not catch this");
    this.name = "Suspension";
  }
}
