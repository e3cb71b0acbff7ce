// Makes the links of a document of the repository lead to pages of the site, and those to other files to the code host.
import { posix } from "node:path";

export interface LinkTargets {
  /** Maps paths of documents from the root of the repository, and of folders with a README.md, to paths of pages. */
  readonly pages: ReadonlyMap<string, string>;
  /** For example "https://code.example/lethe/blob/HEAD/". */
  readonly repository: string;
}

const link = /(!?\[[^\]]*\])\(([^)\s]+)\)/g;
const codeBlock = /(^ *```[\s\S]*?^ *```$)/m;

/** `source` is the path of the document from the root of the repository. Code blocks stay as they are. */
export function rewriteLinks(text: string, source: string, targets: LinkTargets): string {
  return text
    .split(codeBlock)
    .map((part, index) => (index % 2 === 0 ? rewritePart(part, source, targets) : part))
    .join("");
}

function rewritePart(part: string, source: string, targets: LinkTargets): string {
  return part.replace(link, (_, label: string, target: string) => `${label}(${toTarget(target, source, targets)})`);
}

function toTarget(target: string, source: string, { pages, repository }: LinkTargets): string {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [file = "", anchor] = target.split("#", 2);
  const path = posix.join(posix.dirname(source), file).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (path.startsWith("docs/images/")) return `/${path.slice("docs/".length)}`;
  const page = pages.get(path);
  return page === undefined ? `${repository}${path}${hash}` : `/${page}${hash}`;
}
