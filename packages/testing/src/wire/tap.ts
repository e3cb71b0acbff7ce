// Copies the messages of a connection to a log: of a stream of messages, of HTTP, and of a server in the same process.
import type { HttpAnswer, HttpSend } from "@lethe/client";
import type { MessageWire } from "@lethe/client/edge";
import { createSseDecoder, type Dispatch, type JsonObject, McpError, toErrorObject } from "@lethe/protocol";
import type { WireLog } from "./wire-log.ts";

export function tapWire(wire: MessageWire, log: WireLog): MessageWire {
  const { peer, closed } = wire;
  const tapped: MessageWire = {
    ...{ peer, closed },
    send(message) {
      log.add("client", message);
      return wire.send(message);
    },
    onMessage: () => {},
    close: () => wire.close(),
  };
  wire.onMessage = (message, origin) => {
    log.add("server", message);
    tapped.onMessage(message, origin);
  };
  wire.onInvalid = (id, error) => tapped.onInvalid?.(id, error);
  return tapped;
}

export function tapSend(send: HttpSend, log: WireLog): HttpSend {
  return async (request) => {
    if (request.body !== undefined) log.addText("client", request.body);
    return tapAnswer(await send(request), log);
  };
}

function tapAnswer(answer: HttpAnswer, log: WireLog): HttpAnswer {
  return {
    status: answer.status,
    headers: (name) => answer.headers(name),
    async text(maxBytes, memory) {
      const text = await answer.text(maxBytes, memory);
      log.addText("server", text);
      return text;
    },
    chunks: (share) => tapChunks(answer.chunks(share), log),
    discard: () => answer.discard(),
  };
}

function tapChunks(chunks: AsyncIterator<string, undefined>, log: WireLog): AsyncIterator<string, undefined> {
  const decoder = createSseDecoder();
  return {
    async next() {
      const chunk = await chunks.next();
      if (!chunk.done) for (const { data } of decoder.push(chunk.value)) log.addText("server", data);
      return chunk;
    },
    async return() {
      return (await chunks.return?.()) ?? { done: true, value: undefined };
    },
  };
}

/** The messages that a transport would carry: a server in the same process exchanges no bytes. */
export function tapDispatch(dispatch: Dispatch, log: WireLog): Dispatch {
  return async (request, exchange) => {
    const { id, method, params } = request;
    const answer = (outcome: JsonObject): void => log.add("server", { jsonrpc: "2.0", id, ...outcome });
    log.add("client", { jsonrpc: "2.0", id, method, params });
    try {
      const result = await dispatch(request, {
        signal: exchange.signal,
        caller: exchange.caller,
        conversation: exchange.conversation,
        notify(notification) {
          log.add("server", { ...notification, jsonrpc: "2.0" });
          return exchange.notify(notification);
        },
        drained: () => exchange.drained(),
      });
      answer({ result });
      return result;
    } catch (error) {
      answer({ error: toErrorObject(McpError.from(error)) });
      throw error;
    }
  };
}
