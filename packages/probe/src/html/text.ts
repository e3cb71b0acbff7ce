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

/** Removes characters of a server that would reorder or hide text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}
