// What the server of the page offers, for every page.
import { type Context, createContext, useContext } from "react";
import type { ConsoleSettings } from "../admin/console-settings.ts";

export const SettingsContext: Context<ConsoleSettings> = createContext<ConsoleSettings>({});

export function useSettings(): ConsoleSettings {
  return useContext(SettingsContext);
}
