// Where each client keeps its MCP servers, and how it writes one. packages/cli/README.md names the documentation of each format.
import { join } from "node:path";

export type Scope = "user" | "project";

/** The server to install: at a URL, or a command. */
export type InstallTarget =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface ClientFormat {
  readonly format: "json" | "toml";
  /** The member that holds the servers by name. */
  readonly key: string;
  /** Undefined if the client has no file for the scope. */
  file(scope: Scope, machine: Machine): string | undefined;
  toEntry(target: InstallTarget): Record<string, unknown>;
}

/** The version that claude-desktop starts for a server at a URL. */
const bridgePackage = "lethe@0.1.0";

export const clients: Readonly<Record<string, ClientFormat>> = {
  "claude-code": {
    format: "json",
    key: "mcpServers",
    file: (scope, { home, cwd }) => (scope === "user" ? join(home, ".claude.json") : join(cwd, ".mcp.json")),
    toEntry: (target) =>
      "url" in target ? { type: "http", ...toRemote(target) } : { type: "stdio", ...toLocal(target) },
  },
  "claude-desktop": {
    format: "json",
    key: "mcpServers",
    file: (scope, machine) =>
      scope === "user" ? join(applicationFolder(machine), "Claude", "claude_desktop_config.json") : undefined,
    // The file takes only commands.
    toEntry: (target) =>
      "url" in target ? { command: "npx", args: ["-y", bridgePackage, "bridge", target.url] } : toLocal(target),
  },
  cursor: {
    format: "json",
    key: "mcpServers",
    file: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, ".cursor", "mcp.json"),
    toEntry: (target) => ("url" in target ? toRemote(target) : toLocal(target)),
  },
  vscode: {
    format: "json",
    key: "servers",
    file: (scope, machine) =>
      scope === "user"
        ? join(applicationFolder(machine), "Code", "User", "mcp.json")
        : join(machine.cwd, ".vscode", "mcp.json"),
    toEntry: (target) =>
      "url" in target ? { type: "http", ...toRemote(target) } : { type: "stdio", ...toLocal(target) },
  },
  codex: {
    format: "toml",
    key: "mcp_servers",
    file: (scope, { home, cwd, environment }) =>
      join(scope === "project" ? join(cwd, ".codex") : environment.CODEX_HOME || join(home, ".codex"), "config.toml"),
    toEntry: (target) => {
      if (!("url" in target)) return toLocal(target);
      const { url, headers } = target;
      return { url, ...(Object.keys(headers).length > 0 && { http_headers: headers }) };
    },
  },
  gemini: {
    format: "json",
    key: "mcpServers",
    file: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, ".gemini", "settings.json"),
    toEntry: (target) => {
      if (!("url" in target)) return toLocal(target);
      const { url: httpUrl, ...rest } = toRemote(target);
      return { httpUrl, ...rest };
    },
  },
};

function toRemote({ url, headers }: Extract<InstallTarget, { url: string }>): Record<string, unknown> {
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function toLocal({ command, args, env }: Extract<InstallTarget, { command: string }>): Record<string, unknown> {
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

/** The folder in which desktop applications keep their settings. */
function applicationFolder({ platform, home, environment }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA || join(home, "AppData", "Roaming");
  return environment.XDG_CONFIG_HOME || join(home, ".config");
}
