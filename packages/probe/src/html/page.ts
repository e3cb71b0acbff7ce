// The frame of an HTML report: one page without scripts, fonts or images, in a light and a dark theme, and printable.
import { baseCss } from "./style.ts";
import { escapeHtml, printable, toWhole } from "./text.ts";

export interface HtmlPage {
  /** Names the report, without the product. */
  readonly title: string;
  /** The conclusion in one sentence. */
  readonly heading: string;
  /** How the report was made, in sentences. */
  readonly method: readonly string[];
  /** The links at the top of the page, by the ids of their sections. */
  readonly contents: readonly { readonly id: string; readonly title: string }[];
  /** Elements, escaped. */
  readonly sections: readonly string[];
  /** Further style rules. */
  readonly css: string;
}

export function toHtmlPage({ title, heading, method, contents, sections, css }: HtmlPage): string {
  const links = contents.map(
    ({ id, title: name }) => `<li><a href="#${escapeHtml(id)}">${toWhole(printable(name))}</a></li>`,
  );
  const nav = links.length === 0 ? "" : `<nav aria-label="Contents"><ul>${links.join("")}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(printable(`${title} – Lethe`))}</title>
<style>${baseCss}${css}</style>
</head>
<body>
<header>
<p class="brand"><b>Lethe</b> ${toWhole(printable(title))}</p>
<h1>${toWhole(printable(heading))}</h1>
<p>${method.map(toWhole).join(" ")}</p>
</header>
${nav}
<main>
${sections.join("\n")}
</main>
</body>
</html>
`;
}
