// The view of a gateway without upstreams.
import type { GatewayView } from "../operate/observe/gateway-view.ts";

export const emptyGatewayView: GatewayView = {
  ...{ upstreams: [], sessions: [], sessionCount: 0, pendingCalls: [], pendingCallCount: 0, tasks: [], taskCount: 0 },
  versions: { sessions: "", "pending-calls": "", tasks: "" },
};
