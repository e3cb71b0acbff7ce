// What a page shows instead of its data: nothing yet, loading, denied, offline, failed.
import { Check, CloudOff, Inbox, KeyRound, type LucideIcon, ShieldX, TriangleAlert } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";

interface NoticeProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  isAlert?: boolean;
}

function Notice({ icon: Icon, title, children, isAlert = false }: NoticeProps) {
  return (
    <div className="notice" role={isAlert ? "alert" : undefined}>
      <Icon size={24} strokeWidth={1.5} aria-hidden="true" />
      <h2>{title}</h2>
      <div className="notice-text">{children}</div>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Notice icon={Inbox} title={title}>
      {children}
    </Notice>
  );
}

/** One line that says that all is well. */
export function Fine({ children }: { children: ReactNode }) {
  return (
    <p className="fine">
      <Check size={16} aria-hidden="true" /> {children}
    </p>
  );
}

export function Failed({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Notice icon={TriangleAlert} title={title} isAlert>
      {children}
    </Notice>
  );
}

export function Offline({ onRetry }: { onRetry: () => void }) {
  return (
    <Notice icon={CloudOff} title="The gateway does not answer" isAlert>
      <p>The page connects again by itself. What it shows may be outdated.</p>
      <button type="button" className="button" onClick={onRetry}>
        Try now
      </button>
    </Notice>
  );
}

export function Forbidden({ problem }: { problem: string | undefined }) {
  return (
    <Notice icon={ShieldX} title="The gateway does not allow this page" isAlert>
      <p>{problem}</p>
      <p>
        Open the console on the machine of the gateway, set <code>gateway.admin.key</code> in its configuration, or run{" "}
        <code>lethe console URL</code>.
      </p>
    </Notice>
  );
}

export function KeyForm({ title, hint, onKey }: { title: string; hint: ReactNode; onKey: (key: string) => void }) {
  const [value, setValue] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    onKey(value.trim());
  }
  return (
    <Notice icon={KeyRound} title={title}>
      <p>{hint}</p>
      <form onSubmit={submit} className="key-form">
        <label>
          Key
          <input
            type="password"
            autoComplete="off"
            required
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </label>
        <button type="submit" className="button button-primary">
          Continue
        </button>
      </form>
      <p className="muted">The key stays in this tab and is forgotten when you close it.</p>
    </Notice>
  );
}

/** Rows of grey, while data is on its way. */
export function Loading({ label = "Loading" }: { label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      <span />
      <span />
      <span />
    </div>
  );
}
