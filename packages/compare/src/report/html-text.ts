// Text as HTML: escaped, and broken only where a reader would break it.

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A hyphen in a short word ends no line: "2026-07-28", "text/event-stream". What is longer than this may have to break. */
const hyphened = /(?<![\w&#;])[\w./]+(?:-[\w./]+)+/g;
const maxWhole = 20;

export function toWhole(text: string): string {
  return escapeHtml(text).replace(hyphened, (word) =>
    word.length > maxWhole ? word : `<span class="w">${word}</span>`,
  );
}

/** The same for an attribute, which has no elements. */
export function toWholeAttribute(text: string): string {
  return escapeHtml(text.replace(hyphened, (word) => word.replaceAll("-", "\u2011")));
}

/** The exchange or line of a transport, as a fragment of the page. */
export function toAnchor(id: string, number: number): string {
  return `${id}-${number}`;
}

/** Evidence such as "#6 ← result" or "line 6 ← result", with its numbers leading to what they name. */
export function toLinked(text: string, id: string): string {
  return escapeHtml(text).replace(
    /(?<!&)#(\d+)|\bline (\d+)/g,
    (words, exchange?: string, line?: string) =>
      `<a href="#${escapeHtml(toAnchor(id, Number(exchange ?? line)))}">${words}</a>`,
  );
}
