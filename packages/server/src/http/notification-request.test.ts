import { metaKey } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { toNotificationRequest } from "./notification-request.ts";

const jsonrpc = "2.0";
const server = { takesNotifications: true, laterRevisions: () => ["2099-01-01"] };

describe("a notification of a client as a request", () => {
  it("has an envelope, and keeps its params and `_meta`", () => {
    const capabilities = { extensions: { "a.b/c": {} } };
    const _meta = { "a.b/c": 1, [metaKey.clientCapabilities]: capabilities };
    const request = toNotificationRequest({ jsonrpc, method: "notifications/a.b/c", params: { x: 1, _meta } }, server);
    expect(request).toMatchObject({
      isNotification: true,
      params: { x: 1, _meta: { "a.b/c": 1, [metaKey.clientCapabilities]: capabilities } },
    });
    const plain = toNotificationRequest({ jsonrpc, method: "a.b/c", params: { _meta: 5 as never } }, server);
    expect(plain?.params._meta).toEqual({ [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} });
  });

  it.each([
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/roots/list_changed",
    "notifications/tasks/status",
    "notifications/elicitation/complete",
    "tools/call",
    "skills/list",
    "ping",
  ])("does not exist for %s, which a revision or an official extension defines", (method) => {
    expect(toNotificationRequest({ jsonrpc, method }, server)).toBeUndefined();
  });

  it("keeps a later revision that the server accepts, by its header or its envelope", () => {
    const method = "notifications/a.b/c";
    const named = (revision: string) =>
      ({ jsonrpc, method, params: { _meta: { [metaKey.protocolVersion]: revision } } }) as const;
    const revisionOf = (...[notification, version]: [ReturnType<typeof named>, string?]) =>
      toNotificationRequest(notification, server, version)?.params._meta[metaKey.protocolVersion];
    expect(revisionOf(named("2099-01-01"))).toBe("2099-01-01");
    expect(revisionOf(named("2026-07-28"), "2099-01-01")).toBe("2099-01-01");
    expect(revisionOf(named("2025-11-25"))).toBe("2026-07-28");
    expect(toNotificationRequest(named("2099-02-02"), server)).toBeUndefined();
    expect(toNotificationRequest(named("2099-01-01"), { takesNotifications: true })).toBeUndefined();
  });

  it("does not exist for a server that passes no notifications on", () => {
    expect(toNotificationRequest({ jsonrpc, method: "notifications/a.b/c" }, {})).toBeUndefined();
  });
});
