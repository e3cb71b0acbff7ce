// The HTML of an app: given, read from a file, or a frame around a page that is served elsewhere.
import type { AppOptions } from "./app-definition.ts";
import { openFile } from "./app-file.ts";

export interface AppPage {
  read(): string | Promise<string>;
  /** The origins of the frames in the page. */
  readonly frameDomains: readonly string[];
  /** Calls back when the page changes, until the returned function is called. Absent for a page that reports no changes. */
  watch?(onChange: () => void): () => void;
}

/** Throws an Error that names the option that is wrong. */
export function createAppPage(
  name: string,
  { html, file, url }: Pick<AppOptions<undefined, undefined>, "html" | "file" | "url">,
): AppPage {
  const place = `app ${JSON.stringify(name)}`;
  if (typeof html === "function") return { frameDomains: [], read: html };
  if (html !== undefined) return { frameDomains: [], read: () => html };
  if (file !== undefined) return { frameDomains: [], ...openFile(place, file) };
  const address = String(url);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new Error(`${place}: url: an http or https URL expected, got ${JSON.stringify(address)}`);
  }
  return { frameDomains: [new URL(address).origin], read: () => toFrame(address) };
}

/** Messages between the host and the page pass through, each only from the window that it must come from. */
function toFrame(address: string): string {
  const origin = JSON.stringify(new URL(address).origin);
  const src = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html>
<meta charset="utf-8">
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>
<iframe src="${src}"></iframe>
<script>
const frame = document.querySelector("iframe");
addEventListener("message", ({ source, origin, data }) => {
  if (source === frame.contentWindow && origin === ${origin}) parent.postMessage(data, "*");
  else if (source === parent) frame.contentWindow.postMessage(data, ${origin});
});
</script>
`;
}
