// Why an operation of a spec cannot be served.

/** A problem of the spec. The operation that has it is skipped, and the message becomes the reason. */
export class SpecProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SpecProblem";
  }
}
