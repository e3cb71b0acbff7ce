// The title of a page, with a line of facts and its actions.
import { type ReactNode, useEffect } from "react";

export function PageHeader({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Lethe`;
  }, [title]);
  return (
    <header className="page-header">
      <div className="stack">
        <h1>{title}</h1>
        {hint && <p className="muted">{hint}</p>}
      </div>
      <div className="page-actions">{children}</div>
    </header>
  );
}
