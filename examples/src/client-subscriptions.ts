// Hears what changes on a server. One stream serves all subscriptions of a client, and is made anew when it breaks.
import type { Change, Client, Subscription } from "@lethe/client";

export async function watch(client: Client, uri: string, onText: (text: string) => void): Promise<Subscription> {
  async function onChange(change: Change): Promise<void> {
    if (change.kind === "tools") await client.listTools();
    if (change.kind !== "resource") return;
    // What is cached of it is stale already, so this asks the server. After a gap in the stream a change is told
    // that may have been: `change.isSynthetic`.
    const { contents } = await client.readResource(uri);
    for (const content of contents) if ("text" in content) onText(content.text);
  }
  const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
  // Resolves when the server has agreed; `honoured` is what it agreed to.
  return await client.subscribe(filter, (change) => void onChange(change).catch(console.error));
}
