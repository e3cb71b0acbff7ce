// node stdio.mjs KIND: a hostile upstream over stdio.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { behaviours, receive } from "./behaviours.mjs";

const kind = process.argv[2];
behaviours[kind].begin?.();

async function write(stream, text) {
  if (!stream.write(text)) await once(stream, "drain");
}

const peer = {
  isClosed: false,
  frame: (text) => `${text}\n`,
  raw: (text) => write(process.stdout, text),
  stderr: (text) => write(process.stderr, text),
  send: (text) => peer.raw(peer.frame(text)),
  reply: (id, result) => peer.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`),
  refuse: (id) => peer.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`),
  end() {},
};

// The gateway is gone, or has closed the pipe.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit());
createInterface({ input: process.stdin })
  .on("line", (line) => void receive(kind, JSON.parse(line), peer))
  .on("close", () => process.exit());
