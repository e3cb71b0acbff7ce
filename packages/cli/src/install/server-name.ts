// The name of a server in the settings of a client, if the user gives none.
import type { InstallTarget } from "./clients.ts";

/**
 * "tracker" of https://tracker.example/mcp, "localhost-3000" of http://127.0.0.1:3000/mcp, "server-everything" of
 * `npx -y @modelcontextprotocol/server-everything`.
 */
export function toServerName(target: InstallTarget): string {
  if ("url" in target) return nameOfUrl(new URL(target.url));
  const [word = target.command] = target.args.filter((arg) => !arg.startsWith("-"));
  const folder = /\/([^/]+)\/dist\/main\.js$/.exec(word)?.[1];
  return (folder ?? word.split("/").at(-1) ?? "server").replace(/(?<=.)@.*$/, "").replace(/\.[cm]?[jt]s$|\.py$/, "");
}

function nameOfUrl({ hostname, port }: URL): string {
  const suffix = port === "" ? "" : `-${port}`;
  if (/^127\.|^localhost$|^\[::1\]$/.test(hostname)) return `localhost${suffix}`;
  if (/^[\d.]+$|^\[/.test(hostname)) return `server${suffix}`;
  return hostname.split(".")[0] || "server";
}
