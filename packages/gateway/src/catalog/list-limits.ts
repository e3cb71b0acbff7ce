// The limits on the lists of one upstream.

export interface ListLimits {
  /** Default 5,000. */
  readonly maxTools?: number;
  /** Default 5,000. */
  readonly maxPrompts?: number;
  /** Default 10,000. */
  readonly maxResources?: number;
  /** Resource templates. Default 1,000. */
  readonly maxTemplates?: number;
}

/** In characters. A longer URI template is left out. */
export const maxTemplateLength = 2_048;
/** In characters. No URI template matches a longer URI. */
export const maxTemplateUriLength = 8_192;
