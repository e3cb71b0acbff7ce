// Which server an endpoint is to its clients: the upstream where it serves one alone under its own names, else the gateway.
import { type Implementation, type Result, serverInfoOf } from "@lethe/protocol";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";

export interface ServerIdentity {
  /** In the answer to server/discover, and so of `initialize`: with title, description, icons and web site. */
  readonly full: Implementation;
  /** In every other result: icons may be large. */
  readonly brief: Implementation;
}

export const gatewayIdentity: ServerIdentity = { full: gatewayInfo, brief: gatewayInfo };

/** `discovered` is the upstream's answer to server/discover. A server that names itself nowhere is served as the gateway. */
export function toServerIdentity(discovered: Result): ServerIdentity {
  const full = serverInfoOf(discovered);
  if (!full) return gatewayIdentity;
  const { name, version, title } = full;
  return { full, brief: title === undefined ? { name, version } : { name, title, version } };
}
