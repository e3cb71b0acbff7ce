// Subscribes to changes of a server. All subscriptions of a client share one stream, which reconnects when it breaks.
import type { Change, Client, Subscription } from "@lethe/client";

export async function watch(client: Client, uri: string, onText: (text: string) => void): Promise<Subscription> {
  async function onChange(change: Change): Promise<void> {
    if (change.kind === "tools") await client.listTools();
    if (change.kind !== "resource") return;
    // The cached contents are already stale, so this sends a request. After a gap in the stream, the client reports
    // possible changes with `change.isSynthetic`.
    const { contents } = await client.readResource(uri);
    for (const content of contents) if ("text" in content) onText(content.text);
  }
  const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
  // Resolves when the server has acknowledged the subscription; `honoured` is the accepted filter.
  return await client.subscribe(filter, (change) => void onChange(change).catch(console.error));
}
