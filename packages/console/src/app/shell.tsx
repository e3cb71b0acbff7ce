// The frame of every page: navigation, the state of the connection, the theme.
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Activity, FlaskConical, HeartPulse, type LucideIcon, Network, Radio } from "lucide-react";
import { type ReactNode, useContext, useEffect, useRef } from "react";
import { AdminContext } from "./admin/use-admin.ts";
import { ConnectionState } from "./connection-state.tsx";
import { NoAdminPage } from "./no-admin-page.tsx";
import { useSettings } from "./parts/settings-context.ts";
import { ThemeSwitch } from "./parts/theme-switch.tsx";

interface Entry {
  readonly to: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** What the page needs from the server. */
  readonly needs: "admin" | "mcp";
}

const entries: readonly Entry[] = [
  { to: "/", name: "Fleet", icon: Network, needs: "admin" },
  { to: "/live", name: "Live", icon: Radio, needs: "admin" },
  { to: "/activity", name: "Activity", icon: Activity, needs: "admin" },
  { to: "/playground", name: "Playground", icon: FlaskConical, needs: "mcp" },
  { to: "/health", name: "Health", icon: HeartPulse, needs: "admin" },
];

export function Shell() {
  const settings = useSettings();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Screen readers continue at the new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus();
  }, [pathname]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="side">
        <div className="brand">
          <img src="/console/icon.svg" alt="" width={24} height={24} />
          <span className="brand-name">Lethe</span>
          {settings.name && <span className="brand-deployment">{settings.name}</span>}
        </div>
        <nav aria-label="Pages">
          {entries
            .filter(({ needs }) => settings[needs] !== undefined)
            .map(({ to, name, icon: Icon }) => (
              <Link key={to} to={to} className="nav-link" activeOptions={{ exact: to === "/" }}>
                <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
                <span>{name}</span>
              </Link>
            ))}
        </nav>
        <div className="side-foot">
          <StreamFoot />
          <ThemeSwitch />
        </div>
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        <Gate>
          <Outlet />
        </Gate>
      </main>
    </div>
  );
}

function StreamFoot() {
  return useContext(AdminContext) ? <ConnectionState.Badge /> : null;
}

/** The paths whose pages read the administration interface. The start leads to the playground where there is none. */
const adminPaths = /^\/(?:upstreams|live|activity|health)(?:\/|$)/;

/** Pages of administration appear only if this page may read it. */
function Gate({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  if (useContext(AdminContext) === undefined) return adminPaths.test(pathname) ? <NoAdminPage /> : children;
  return pathname.startsWith("/playground") ? children : <ConnectionState.Gate>{children}</ConnectionState.Gate>;
}
