// `connect` for Node: over node:http, and with commands to start.
import type { Connection } from "../call/connection.ts";
import { excerptOf } from "../call/transport-error.ts";
import {
  type CommandTarget,
  type Connect,
  type ConnectCommandOptions,
  createConnect,
} from "../connect/create-connect.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { connectStdio } from "./connect-stdio.ts";
import { createNodeSend } from "./http-send.ts";

export const connect: Connect = createConnect({
  createSend: createNodeSend,
  connectCommand,
  legacy: { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse },
});

function connectCommand(target: CommandTarget, options: ConnectCommandOptions): Promise<Connection> {
  const { connectTimeoutMs, startTimeoutMs = connectTimeoutMs, onWarning = console.warn, ...shared } = options;
  let isWarned = false;
  return connectStdio(target, {
    ...shared,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    onJunk(line) {
      if (!isWarned)
        onWarning(`${target.command} writes to its standard output what is no message: ${excerptOf(line)}`);
      isWarned = true;
    },
  });
}
