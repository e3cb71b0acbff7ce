// A change that the user asks for: sent once, with its outcome, and followed by fresh lists.
import { useMutation } from "@tanstack/react-query";
import type { Done } from "../admin/admin-api.ts";
import { useAdmin } from "../admin/use-admin.ts";

export interface Action {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** Resolves to whether it was done. */
  run(path: string, body?: unknown): Promise<boolean>;
}

export function useAction(): Action {
  const { client, queries } = useAdmin();
  const mutation = useMutation({
    mutationFn: ({ path, body }: { path: string; body: unknown }) =>
      client.post<Partial<Done> & { error?: string }>(path, body),
  });
  const refused = mutation.data?.isDone === true ? undefined : (mutation.data?.error ?? mutation.data?.message);
  return {
    isBusy: mutation.isPending,
    problem: mutation.error?.message ?? refused,
    async run(path, body) {
      try {
        const { isDone } = await mutation.mutateAsync({ path, body });
        return isDone === true;
      } catch {
        return false;
      } finally {
        await queries.invalidateQueries({ queryKey: ["admin"] });
      }
    },
  };
}
