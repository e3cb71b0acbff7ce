// The anchor of a heading as code hosts make it, so that a link works here and there.

/** Lower case, without punctuation, with "-" for spaces. */
export function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}
