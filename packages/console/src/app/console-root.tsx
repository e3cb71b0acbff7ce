// Reads what the server of the page offers, and provides the data that all pages share.
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { type AdminSource, createAdminSource } from "./admin/admin-source.ts";
import { type ConsoleSettings, readSettings } from "./admin/console-settings.ts";
import { AdminContext } from "./admin/use-admin.ts";
import { Failed, Loading } from "./parts/page-state.tsx";
import { SettingsContext } from "./parts/settings-context.ts";

interface Loaded {
  readonly settings: ConsoleSettings;
  readonly admin: AdminSource | undefined;
  readonly queries: QueryClient;
}

/** One for the page, also where React renders twice in development. */
let loading: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const settings = await readSettings();
  const admin = settings.admin === undefined ? undefined : createAdminSource(settings.admin);
  return { settings, admin, queries: admin?.queries ?? new QueryClient() };
}

export function ConsoleRoot({ children }: { children: ReactNode }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    loading ??= load();
    loading.then(setLoaded, (error: Error) => setProblem(error.message));
  }, []);
  if (problem !== undefined) {
    return (
      <Failed title="The console cannot start">
        <p>{problem}</p>
      </Failed>
    );
  }
  if (!loaded) return <Loading label="Starting the console" />;
  return (
    <CSPProvider disableStyleElements>
      <SettingsContext value={loaded.settings}>
        <QueryClientProvider client={loaded.queries}>
          <AdminContext value={loaded.admin}>{children}</AdminContext>
        </QueryClientProvider>
      </SettingsContext>
    </CSPProvider>
  );
}
