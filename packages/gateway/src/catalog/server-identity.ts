// The server identity that an endpoint shows: that of its upstream, if it serves one alone under its own names, else the
// gateway's.
import { type Implementation, type Result, serverInfoOf } from "@lethe/protocol";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";

export interface ServerIdentity {
  /** In the result of server/discover and so of `initialize`: with title, description, icons and website. */
  readonly full: Implementation;
  /** In every other result, without icons, which may be large. */
  readonly brief: Implementation;
}

export const gatewayIdentity: ServerIdentity = { full: gatewayInfo, brief: gatewayInfo };

/** `discovered` is the upstream's result of server/discover. A server without a name is shown as the gateway. */
export function toServerIdentity(discovered: Result): ServerIdentity {
  const full = serverInfoOf(discovered);
  if (!full) return gatewayIdentity;
  const { name, version, title } = full;
  return { full, brief: title === undefined ? { name, version } : { name, title, version } };
}
