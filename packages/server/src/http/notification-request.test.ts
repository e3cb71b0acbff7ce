import { metaKey } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { toNotificationRequest } from "./notification-request.ts";

const jsonrpc = "2.0";

describe("a notification of a client as a request", () => {
  it("has an envelope, and keeps its params and `_meta`", () => {
    const capabilities = { extensions: { "a.b/c": {} } };
    const _meta = { "a.b/c": 1, [metaKey.clientCapabilities]: capabilities };
    const request = toNotificationRequest({ jsonrpc, method: "notifications/a.b/c", params: { x: 1, _meta } });
    expect(request).toMatchObject({
      isNotification: true,
      params: { x: 1, _meta: { "a.b/c": 1, [metaKey.clientCapabilities]: capabilities } },
    });
    const plain = toNotificationRequest({ jsonrpc, method: "a.b/c", params: { _meta: 5 as never } });
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
    expect(toNotificationRequest({ jsonrpc, method })).toBeUndefined();
  });
});
