// Requests of a client that declares tasks.
import { type Exchange, type ModernRequest, metaKey, tasksExtension } from "@lethe/protocol";

const meta = {
  [metaKey.protocolVersion]: "2026-07-28",
  [metaKey.clientCapabilities]: { elicitation: {}, extensions: { [tasksExtension]: {} } },
};

export function toTaskRequest(method: string, params: Record<string, unknown>): ModernRequest {
  return { id: 1, method, params: { ...params, _meta: meta } as ModernRequest["params"] };
}

/** The exchange of a caller that never leaves. */
export const silentExchange: Exchange = {
  get signal(): AbortSignal {
    return new AbortController().signal;
  },
  onAbort() {},
  caller: { id: "ann" },
  notify: () => true,
  drained: () => Promise.resolve(),
};
