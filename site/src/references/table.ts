// Tables in Markdown.

/** `|` and line breaks in cells are escaped. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]): string => `| ${cells.map(toCell).join(" | ")} |`;
  return [toLine(head), toLine(head.map(() => "---")), ...rows.map(toLine)].join("\n");
}

function toCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}
