// Bodies of node:http requests that go from the parser to their listeners.
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, IncomingMessage, Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Dispatch, toMirroredHeaders } from "@lethe/protocol";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { callOf } from "../testing/messages.ts";
import { type DirectBody, giveBody, leaveBody, toDirectRequest } from "./direct-body.ts";
import { createNodeHandler } from "./node-handler.ts";
import { serve } from "./serve.ts";

type Request = IncomingMessage & DirectBody;

let server: Server | undefined;
let client: Socket | undefined;
afterEach(() => {
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server, and returns a client that is connected to it. */
async function start(handler: (request: Request, response: ServerResponse) => void): Promise<Socket> {
  const options = { IncomingMessage: toDirectRequest(IncomingMessage), keepAliveTimeout: 0 };
  server = createServer(options, (request, response) => handler(request as Request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.setNoDelay(true);
  client.on("error", () => {});
  await once(client, "connect");
  return client;
}

function post(body: string): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Returns false if the request is a stream. */
function give(request: Request, onText: (text: string) => void): boolean {
  const pieces: Buffer[] = [];
  return request[giveBody](
    (piece) => pieces.push(piece),
    () => onText(Buffer.concat(pieces).toString()),
  );
}

/** Acts after so many turns of the event loop. */
function afterTurns(turns: number, act: () => void): void {
  if (turns === 0) act();
  else setImmediate(() => afterTurns(turns - 1, act));
}

/** Resolves with what the server has sent as soon as it contains so many responses. */
async function responses(socket: Socket, count: number): Promise<string> {
  let text = "";
  while (text.split("HTTP/1.1 ").length <= count) text += ((await once(socket, "data")) as [Buffer])[0].toString();
  return text;
}

it("the body goes to its listeners, and the request is no stream", async () => {
  const listeners: number[] = [];
  const socket = await start((request, response) => {
    expect(give(request, (text) => response.end(text))).toBe(true);
    listeners.push(request.listenerCount("data"), request.listenerCount("end"));
  });
  socket.write(post("first") + post("second"));
  expect(await responses(socket, 2)).toMatch(/first[\s\S]*second/);
  expect(listeners).toEqual([0, 0, 0, 0]);
});

it("listeners that come later, as after an authentication, get the same body, however it is split", async () => {
  let delayTurns = 0;
  const socket = await start((request, response) => {
    afterTurns(delayTurns, () => {
      if (give(request, (text) => response.end(`<${text}>`))) return;
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => response.end(`<${Buffer.concat(pieces)}>`));
    });
  });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.array(fc.nat(200)), fc.nat(3), async (text, cuts, turns) => {
      delayTurns = turns;
      const request = Buffer.from(post(text));
      const places = [0, ...cuts.filter((cut) => cut < request.length).sort((a, b) => a - b), request.length];
      const answered = readBody(socket);
      for (const [index, place] of places.slice(1).entries()) {
        socket.write(request.subarray(places[index], place));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await answered).toBe(`<${text}>`);
    }),
    { numRuns: 50 },
  );
});

async function readBody(socket: Socket): Promise<string> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    bytes = Buffer.concat([bytes, ((await once(socket, "data")) as [Buffer])[0]]);
    const head = bytes.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(bytes.subarray(0, head).toString())?.[1]);
    if (head >= 0 && bytes.length >= head + 4 + length) return bytes.subarray(head + 4).toString();
  }
}

it("a handler runs in the async context to which tracing binds the listeners of its request", async () => {
  const context = new AsyncLocalStorage<string>();
  const { emit } = Server.prototype;
  const spied = vi.spyOn(Server.prototype, "emit").mockImplementation(function (this: Server, ...event: unknown[]) {
    if (event[0] === "request") bindListeners(event[1] as IncomingMessage, context);
    return Reflect.apply(emit, this, event);
  });
  const seen: unknown[] = [];
  const dispatch: Dispatch = async () => {
    seen.push(context.getStore());
    return { resultType: "complete" };
  };
  const serving = await serve({ dispatch }, { port: 0 });
  const body = callOf();
  const headers = {
    ...toMirroredHeaders(body as never),
    "content-type": "application/json",
    accept: "application/json",
  };
  expect((await fetch(serving.url, { method: "POST", headers, body: JSON.stringify(body) })).status).toBe(200);
  spied.mockRestore();
  await serving.close({ graceMs: 0 });
  expect(seen).toEqual(["span"]);
});

function bindListeners(request: IncomingMessage, context: AsyncLocalStorage<string>): void {
  const { on } = request;
  request.on = (event: string | symbol, listener: (...args: never[]) => void) =>
    Reflect.apply(on, request, [
      event,
      function (this: unknown, ...args: unknown[]) {
        return context.run("span", () => Reflect.apply(listener, this, args));
      },
    ]);
}

it.each([
  ["before its body has arrived", 0],
  ["after its body has arrived", 2],
])("a request that is answered without its body %s leaves the connection usable", async (_, turns) => {
  const socket = await start((request, response) => {
    afterTurns(turns, () => {
      response.end("refused");
      request[leaveBody]();
    });
  });
  socket.write(post("x".repeat(200_000)));
  await responses(socket, 1);
  socket.write(post("x".repeat(200_000)) + post("y"));
  expect(await responses(socket, 2)).toMatch(/refused[\s\S]*refused/);
});

it("a body whose request is paused is discarded once its response has ended", async () => {
  const seen: number[] = [];
  const socket = await start((request, response) => {
    request[giveBody](
      (piece) => {
        seen.push(piece.length);
        request.pause();
        response.end("too large");
      },
      () => response.end("read"),
    );
  });
  socket.write(post("x".repeat(1_000_000)));
  await responses(socket, 1);
  expect(seen).toHaveLength(1);
  socket.write(post(""));
  expect(await responses(socket, 1)).toContain("read");
});

it("an idle connection keeps no request that has been read", async () => {
  let last: Request | undefined;
  const socket = await start((request, response) => {
    last = request;
    give(request, () => response.end("read"));
  });
  socket.write(post("body"));
  await responses(socket, 1);
  expect(last).toMatchObject({ readableEnded: true, socket: { parser: { incoming: null } } });
});

it("an idle connection keeps no request that was refused without its body", async () => {
  let last: Request | undefined;
  const refuse = createNodeHandler({ dispatch: () => Promise.reject(new Error("a refused request was dispatched")) });
  const socket = await start((request, response) => {
    last = request;
    refuse(request, response);
  });
  socket.write(post("body").replace("localhost", "example.com"));
  expect(await responses(socket, 1)).toContain("403");
  await expect.poll(() => last).toMatchObject({ readableEnded: true, socket: { parser: { incoming: null } } });
});

it("a client that leaves before the end of the body breaks the request", async () => {
  let given: ((request: Request) => void) | undefined;
  const begun = new Promise<Request>((resolve) => {
    given = resolve;
  });
  const texts: string[] = [];
  const socket = await start((request) => {
    give(request, (text) => texts.push(text));
    given?.(request);
  });
  socket.write(post("a whole body").slice(0, -5));
  const request = await begun;
  const broken = once(request, "error");
  socket.destroy();
  expect(await broken.catch((error: unknown) => [error])).toMatchObject([{ code: "ECONNRESET" }]);
  expect(texts).toEqual([]);
  expect(request.readableEnded).toBe(false);
});
