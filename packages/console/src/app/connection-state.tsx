// Whether the page is connected to the administration interface, and what it shows if it is not.
import type { ReactNode } from "react";
import type { StreamState } from "./admin/event-stream.ts";
import { useAdmin, useOverview, useStreamStatus } from "./admin/use-admin.ts";
import { Status, type Tone } from "./parts/badge.tsx";
import { Forbidden, KeyForm, Offline } from "./parts/page-state.tsx";

const words: Readonly<Record<StreamState, readonly [Tone, string]>> = {
  connecting: ["info", "Connecting"],
  live: ["ok", "Live"],
  key: ["warn", "Key needed"],
  forbidden: ["bad", "Denied"],
  offline: ["bad", "Offline"],
  failed: ["bad", "Not live"],
};

function StreamBadge() {
  const { state, problem } = useStreamStatus();
  const [tone, word] = words[state];
  return (
    <div className="stream-badge" role="status" title={problem}>
      <Status tone={tone}>{word}</Status>
    </div>
  );
}

function Gate({ children }: { children: ReactNode }) {
  const { key, reconnect } = useAdmin();
  const { state, problem } = useStreamStatus();
  const isKnown = useOverview() !== undefined;
  if (state === "key") {
    const wasGiven = key.get() !== undefined;
    return (
      <KeyForm
        title="This gateway needs its admin key"
        hint={
          wasGiven ? (
            <>The gateway does not accept this key: {problem}</>
          ) : (
            <>
              It is <code>gateway.admin.key</code> of the gateway's configuration.
            </>
          )
        }
        onKey={(value) => key.set(value)}
      />
    );
  }
  if (state === "forbidden") return <Forbidden problem={problem} />;
  if (state === "offline" && !isKnown) return <Offline onRetry={reconnect} />;
  return (
    <>
      {(state === "offline" || state === "failed") && (
        <p className="banner banner-bad" role="alert">
          Not live: {problem}. The page connects again by itself.
        </p>
      )}
      {children}
    </>
  );
}

export const ConnectionState = { Badge: StreamBadge, Gate };
