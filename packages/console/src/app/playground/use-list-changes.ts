// Keeps the lists of the playground current while the page is visible.
import type { Client } from "@lethe/client";
import { useEffect, useSyncExternalStore } from "react";
import { useSession } from "./use-session.ts";

type Capabilities = Client["server"]["capabilities"];

/**
 * Calls `readAgain` when the server says that a list changed, and when a stream has begun, because the lists may have changed before.
 * A hidden page holds no stream: a browser opens only six connections to one server, for all pages together.
 */
export function useListChanges(capabilities: Capabilities | undefined, readAgain: () => unknown): void {
  const { clients, key } = useSession();
  const caller = useSyncExternalStore(key.subscribe, key.get);
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === "visible");
  const isKnown = capabilities !== undefined;
  const tools = capabilities?.tools?.listChanged === true;
  const prompts = capabilities?.prompts?.listChanged === true;
  const resources = capabilities?.resources?.listChanged === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another caller has another connection.
  useEffect(() => {
    if (!isKnown || !isVisible || !(tools || prompts || resources)) return;
    const stop = new AbortController();
    const filter = { toolsListChanged: tools, promptsListChanged: prompts, resourcesListChanged: resources };
    async function follow(): Promise<void> {
      const client = await clients.of("auto");
      const subscription = await client.subscribe(filter, () => void readAgain());
      if (stop.signal.aborted) return subscription.close();
      stop.signal.addEventListener("abort", subscription.close);
      readAgain();
    }
    // Without a stream the lists are read by the button.
    follow().catch(() => {});
    return () => stop.abort();
  }, [clients, caller, isKnown, isVisible, tools, prompts, resources, readAgain]);
}

function subscribeToVisibility(callback: () => void): () => void {
  document.addEventListener("visibilitychange", callback);
  return () => document.removeEventListener("visibilitychange", callback);
}
