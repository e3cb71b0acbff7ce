// The extensions that the gateway implements or ends itself. They are not passed on between callers and upstreams.
import { tasksExtension } from "@lethe/protocol";

/** They describe how a client obtains tokens for the server it talks to, which is the gateway and not the upstream. */
const authorizationExtensions = [
  "io.modelcontextprotocol/oauth-client-credentials",
  "io.modelcontextprotocol/enterprise-managed-authorization",
];

const owned: ReadonlySet<string> = new Set([tasksExtension, ...authorizationExtensions]);

/** True for an extension that the gateway handles at both sides by itself. */
export function isOwnedExtension(id: string): boolean {
  return owned.has(id);
}

/** FastMCP 2.14 declares the tasks of 2025-11-25 under `experimental`. The gateway handles tasks itself. */
export function isOwnedExperiment(name: string): boolean {
  return name === "tasks";
}
