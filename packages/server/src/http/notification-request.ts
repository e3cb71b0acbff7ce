// A notification of a client as a request of the model, for servers that pass notifications of extensions on.
import { isJsonObject, type JsonRpcNotification, type ModernRequest, metaKey, modelRevision } from "@lethe/protocol";
import { isExtensionNotification } from "@lethe/protocol/revisions";

/** The id of every notification: no response carries it. */
const id = "notification";

/** Undefined for a notification that a revision defines. Their envelope is optional, unlike that of requests. */
export function toNotificationRequest({ method, params = {} }: JsonRpcNotification): ModernRequest | undefined {
  if (!isExtensionNotification(method)) return undefined;
  const given = isJsonObject(params._meta) ? params._meta : {};
  const capabilities = given[metaKey.clientCapabilities];
  const _meta = {
    ...given,
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: isJsonObject(capabilities) ? capabilities : {},
  };
  return { id, method, params: { ...params, _meta }, isNotification: true };
}
