// The session of the playground for components.
import { useQuery } from "@tanstack/react-query";
import { type Context, createContext, useContext, useSyncExternalStore } from "react";
import type { WaitingInput } from "../mcp/asked-inputs.ts";
import type { Call } from "../mcp/calls.ts";
import type { PlaygroundSession } from "../mcp/playground-session.ts";

export const SessionContext: Context<PlaygroundSession | undefined> = createContext<PlaygroundSession | undefined>(
  undefined,
);

export function useSession(): PlaygroundSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error("outside of the playground");
  return session;
}

/** Newest first. */
export function useCalls(): readonly Call[] {
  const { log } = useSession();
  return useSyncExternalStore(log.subscribe, () => log.calls);
}

export function useWaitingInputs(): readonly WaitingInput[] {
  const { inputs } = useSession();
  return useSyncExternalStore(inputs.subscribe, () => inputs.waiting);
}

/** All that the endpoint offers. */
export function useOffer() {
  const { clients, key, url } = useSession();
  return useQuery({
    queryKey: ["mcp", "offer", url.href, key.get() !== undefined],
    retry: false,
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const client = await clients.of("auto");
      const { capabilities } = client.server;
      const [tools, prompts, resources, templates] = await Promise.all([
        capabilities.tools ? client.listTools({ signal }) : [],
        capabilities.prompts ? client.listPrompts({ signal }) : [],
        capabilities.resources ? client.listResources({ signal }) : [],
        capabilities.resources ? client.listResourceTemplates({ signal }) : [],
      ]);
      return { tools, prompts, resources, templates, server: client.server, revision: client.connection.revision };
    },
  });
}

export type Offer = NonNullable<ReturnType<typeof useOffer>["data"]>;
