// Escapes text for HTML and controls where lines may break.

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Words such as "2026-07-28" or "text/event-stream" do not break at a hyphen, unless they are longer than `maxWhole`. */
const hyphened = /(?<![\w&#;])[\w./]+(?:-[\w./]+)+/g;
const maxWhole = 20;

export function toWhole(text: string): string {
  return escapeHtml(text).replace(hyphened, (word) =>
    word.length > maxWhole ? word : `<span class="w">${word}</span>`,
  );
}

/** Like toWhole, for attribute values, which cannot contain elements. */
export function toWholeAttribute(text: string): string {
  return escapeHtml(text.replace(hyphened, (word) => word.replaceAll("-", "\u2011")));
}

/** The HTML id of an exchange or line. */
export function toAnchor(id: string, number: number): string {
  return `${id}-${number}`;
}

/** Links the numbers in evidence such as "#6 ← result" or "line 6 ← result" to their exchanges. */
export function toLinked(text: string, id: string): string {
  return escapeHtml(text).replace(
    /(?<!&)#(\d+)|\bline (\d+)/g,
    (words, exchange?: string, line?: string) =>
      `<a href="#${escapeHtml(toAnchor(id, Number(exchange ?? line)))}">${words}</a>`,
  );
}
