// Markdown of a server, which is not trusted: sanitized, and without images of other origins, which the content policy also blocks.
import DOMPurify from "dompurify";
import { marked } from "marked";
import { useEffect, useRef } from "react";

const settings = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "img", "video", "audio", "iframe"],
  FORBID_ATTR: ["style", "id", "class", "name"],
} as const;

export function Markdown({ text }: { text: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const html = marked.parse(text, { async: false, gfm: true, breaks: true });
    const fragment = DOMPurify.sanitize(html, {
      ...settings,
      FORBID_TAGS: [...settings.FORBID_TAGS],
      FORBID_ATTR: [...settings.FORBID_ATTR],
    });
    for (const link of fragment.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener noreferrer nofollow";
    }
    host.current?.replaceChildren(fragment);
  }, [text]);
  return <div className="markdown" ref={host} />;
}
