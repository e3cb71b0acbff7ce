// The state of a session as a handler sees it, with the changes of its call.

/**
 * What `ctx.session` returns. Changes are written when the handler has returned its result: a call that throws, returns `isError` or waits
 * for input changes nothing.
 */
export interface OpenSession<State, Stored = State> {
  /** The state, with the changes of this call. */
  readonly value: State;
  /** Whether this call began the session. */
  readonly isNew: boolean;
  /**
   * Replaces the state and returns it as the schema converts it. If another call changes the session meanwhile, this call fails with a
   * ToolError. Rejects with an Error if the schema rejects the value.
   */
  set(value: Stored): Promise<State>;
  /**
   * Computes the next state from the current one, and again if another call has changed the session meanwhile: `change` must have no
   * effects. Rejects with an Error if the schema rejects its result.
   */
  update(change: (current: State) => Stored): Promise<State>;
  /** Ends the session: a store forgets it. A handle that contains the state opens until it expires. */
  end(): void;
}
