// Light or dark: as the system says, or as the user chose.
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const storageKey = "lethe-theme";
const callbacks = new Set<() => void>();
const systemDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
let version = 0;

function changed(): void {
  version += 1;
  for (const callback of callbacks) callback();
}

systemDark?.addEventListener("change", changed);

function subscribe(callback: () => void): () => void {
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function chosenTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Shows the chosen theme. Called once before the first rendering. */
export function applyTheme(): void {
  const theme = chosenTheme();
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
  changed();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}

/** Changes whenever colours may have changed, for what is drawn on a canvas. */
export function useThemeVersion(): number {
  return useSyncExternalStore(subscribe, () => version);
}
