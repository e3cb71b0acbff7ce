// The user saw a question and did not answer it (E-87): an outcome that a handler may catch.

/** Its message may be shown to the caller. */
export class InputDeclined extends Error {
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(action === "decline" ? "the user declined to answer" : "the user dismissed the question");
    this.name = "InputDeclined";
    this.action = action;
  }
}

/** True for an InputDeclined of any copy of this package. */
export function isInputDeclined(value: unknown): value is InputDeclined {
  return value instanceof InputDeclined || (value instanceof Error && value.name === "InputDeclined");
}
