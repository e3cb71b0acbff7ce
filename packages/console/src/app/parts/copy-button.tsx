// Copies a text, and says so.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

const shownMs = 1_500;

export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text());
    setIsCopied(true);
  }
  return (
    <button type="button" className="button button-small" onClick={() => void copy()}>
      {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      {label}
      <span className="visually-hidden" role="status">
        {isCopied ? "copied" : ""}
      </span>
    </button>
  );
}
