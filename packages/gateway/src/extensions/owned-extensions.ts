// The extensions that the gateway keeps to itself. They are not passed on between callers and upstreams.
import { atGateway } from "@lethe/protocol";

/** True for an extension that the gateway implements, or that describes the connection to the gateway. */
export function isOwnedExtension(id: string): boolean {
  const handling = atGateway(id);
  return handling === "implements" || handling === "ends";
}

/** FastMCP 2.14 declares the tasks of 2025-11-25 under `experimental`. The gateway handles tasks itself. */
export function isOwnedExperiment(name: string): boolean {
  return name === "tasks";
}
