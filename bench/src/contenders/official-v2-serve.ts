// The official SDK v2 on node:http as documented: the handler behind the host and origin guards.
import { createServer as createHttpServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { listen } from "./listen.ts";
import { maxSubscriptions } from "./official-v2.ts";

export function serveOfficialV2(factory: McpServerFactory): void {
  const handler = createMcpHandler(factory, { maxSubscriptions });
  const nodeHandler = toNodeHandler(handler);
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  listen(
    createHttpServer((request, response) => {
      if (!validateHost(request, response) || !validateOrigin(request, response)) return;
      // The SDK's types are not written for exactOptionalPropertyTypes, hence the cast.
      void nodeHandler(request as NodeIncomingMessageLike, response);
    }),
  );
  process.on("SIGUSR2", () => handler.notify.toolsChanged());
}
