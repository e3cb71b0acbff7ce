// Links the numbers in evidence to the exchanges of an HTML report.
import { escapeHtml } from "@lethe/probe/html";

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
