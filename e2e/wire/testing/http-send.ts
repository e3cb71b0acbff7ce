// Replaces the module of this name in tests: validates the messages that a client sends over undici.
import {
  createNodeSend as createSend,
  type NodeSend,
  type NodeSendOptions,
  type NodeSendParts,
} from "../../../packages/client/src/node/http-send.ts";
import { watchSend } from "./watch-send.ts";

export type { NodeSend, NodeSendOptions, NodeSendParts };

export function createNodeSend(options?: NodeSendOptions, parts?: NodeSendParts): NodeSend {
  const { send, close } = createSend(options, parts);
  return { send: watchSend(send), close };
}
