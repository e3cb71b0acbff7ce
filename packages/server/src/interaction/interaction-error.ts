// An error in how a handler requests input: for the author and the log, never for the caller.

export class InteractionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InteractionError";
  }
}
