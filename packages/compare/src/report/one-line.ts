// What servers say, on one line of text: no control character of it may move a cursor, and none may turn the writing around.

export function toOneLine(text: string): string {
  return text.replace(/\s*[\p{Cc}\p{Cf}\u2028\u2029]+\s*/gu, " ").trim();
}
