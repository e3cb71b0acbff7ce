// Operations that are not served, with the reason.

/** An operation of the spec that is not served although the options select it, or that the defaults leave out. */
export interface SkippedOperation {
  /** Its operationId, or its method and path. */
  readonly operation: string;
  readonly reason: string;
}
