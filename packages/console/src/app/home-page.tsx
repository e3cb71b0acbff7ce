// The start: the fleet, or the playground where the server of the page has no administration interface.
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSettings } from "./parts/settings-context.ts";

export function HomePage({ children }: { children: ReactNode }) {
  const { admin } = useSettings();
  return admin === undefined ? <Navigate to="/playground" replace /> : children;
}
