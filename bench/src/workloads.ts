// The workloads, in the order of the report.
import { checkGreeting, checkList, checkProgress } from "./load/check-answer.ts";
import { greetCall, listCall, progressCall } from "./load/wire.ts";
import { clientHttpWorkload, clientStdioWorkload } from "./workloads/client-workload.ts";
import { coldHttpWorkload, coldStdioWorkload } from "./workloads/cold-start-workload.ts";
import { conversationWorkload } from "./workloads/conversation-workload.ts";
import { gatewayPendingWorkload, gatewaySessionsWorkload } from "./workloads/gateway-memory-workload.ts";
import { gatewayOwnerWorkload } from "./workloads/gateway-owner-workload.ts";
import { gatewayReplicasWorkload } from "./workloads/gateway-replicas-workload.ts";
import { gatewaySecondReplicaWorkload } from "./workloads/gateway-second-replica-workload.ts";
import { gatewayWorkersWorkload } from "./workloads/gateway-workers-workload.ts";
import { gatewayWorkload } from "./workloads/gateway-workload.ts";
import { httpWorkload } from "./workloads/http-workload.ts";
import { memoryCallsWorkload, memoryStreamsWorkload } from "./workloads/memory-workload.ts";
import { sizeWorkload } from "./workloads/size-workload.ts";
import { stdioWorkload } from "./workloads/stdio-workload.ts";
import { streamsWorkload } from "./workloads/streams-workload.ts";
import { tasksWorkload } from "./workloads/tasks-workload.ts";
import type { Workload } from "./workloads/workload.ts";

export const workloads: readonly Workload[] = [
  calls(1, { isMain: true }),
  calls(10, { isMain: false }),
  calls(100, { isMain: true }),
  calls(500, { isMain: false }),
  lists(1, { isMain: false }),
  lists(100, { isMain: true }),
  httpWorkload({
    id: "progress",
    title: "tools/call answered by an event stream: one progress notification, then the result",
    isMain: false,
    env: { TOOLS: "1", PROGRESS: "1" },
    request: progressCall,
    check: checkProgress,
    needs: "progress",
  }),
  conversationWorkload,
  streamsWorkload,
  tasksWorkload,
  memoryCallsWorkload,
  memoryStreamsWorkload,
  stdioWorkload(1),
  stdioWorkload(64),
  clientHttpWorkload(32),
  clientStdioWorkload(64),
  gatewayWorkload(1),
  gatewayWorkload(32),
  gatewayWorkload(32, { sharesCore: true }),
  gatewayWorkersWorkload({ upstream: "modern" }),
  gatewayWorkersWorkload({ upstream: "stateful" }),
  gatewayWorkersWorkload({ upstream: "stateful", isDirect: true }),
  gatewayOwnerWorkload,
  gatewayReplicasWorkload("http"),
  gatewayReplicasWorkload("stdio"),
  gatewaySecondReplicaWorkload,
  gatewaySessionsWorkload,
  gatewayPendingWorkload,
  coldHttpWorkload,
  coldStdioWorkload,
  sizeWorkload,
];

function calls(tools: number, { isMain }: { isMain: boolean }): Workload {
  const title = `tools/call, ${tools} tool${tools === 1 ? "" : "s"}`;
  const env = { TOOLS: String(tools) };
  return httpWorkload({ id: `call-${tools}`, title, isMain, env, request: greetCall, check: checkGreeting });
}

function lists(tools: number, { isMain }: { isMain: boolean }): Workload {
  const title = `tools/list, ${tools} tool${tools === 1 ? "" : "s"}`;
  const env = { TOOLS: String(tools) };
  return httpWorkload({ id: `list-${tools}`, title, isMain, env, request: listCall, check: checkList(tools) });
}
