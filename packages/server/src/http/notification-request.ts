// A notification of a client as a request of the model, for servers that pass notifications of extensions on.
import { isJsonObject, type JsonRpcNotification, type ModernRequest, metaKey, modelRevision } from "@lethe/protocol";
import { isExtensionNotification, isLaterRevision } from "@lethe/protocol/revisions";
import { acceptedRevisions, type Servable } from "./servable.ts";

/** The id of every notification: no response carries it. */
const id = "notification";

/**
 * Undefined for a notification that a revision defines, for a revision that the server does not accept, and for a server that passes no
 * notifications on. `version` is the revision that the transport names. Default: the one that the envelope names, which is optional,
 * unlike that of requests.
 */
export function toNotificationRequest(
  { method, params = {} }: JsonRpcNotification,
  server: Pick<Servable, "takesNotifications" | "laterRevisions">,
  version?: string,
): ModernRequest | undefined {
  if (!server.takesNotifications || !isExtensionNotification(method)) return undefined;
  const given = isJsonObject(params._meta) ? params._meta : {};
  const revision = revisionOf(version ?? given[metaKey.protocolVersion], server);
  if (revision === undefined) return undefined;
  const capabilities = given[metaKey.clientCapabilities];
  const _meta = {
    ...given,
    [metaKey.protocolVersion]: revision,
    [metaKey.clientCapabilities]: isJsonObject(capabilities) ? capabilities : {},
  };
  return { id, method, params: { ...params, _meta }, isNotification: true };
}

/** Notifications of our revisions are alike, and those without a revision count as ours. */
function revisionOf(named: unknown, server: Pick<Servable, "laterRevisions">): string | undefined {
  if (typeof named !== "string" || !isLaterRevision(named)) return modelRevision;
  return acceptedRevisions(server).includes(named) ? named : undefined;
}
