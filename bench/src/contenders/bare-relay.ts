// The baseline gateway: bare node:http that forwards params to one stdio server and returns the response with the caller's
// id. It has no checks, sessions, limits or input requests, so no correct gateway can be much faster.
// Arguments: the port, then the server's command.
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { openingLines } from "../load/wire.ts";

interface Call {
  id: number;
  method: string;
  params: { name: string; arguments: object };
}

interface Waiting {
  id: number;
  response: ServerResponse;
}

const [port, command = "", ...args] = process.argv.slice(2);
const upstream = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map<number, Waiting>();
let lastId = 0;
let lines = openingLines("legacy")
  .map((line) => `${line}\n`)
  .join("");

/** Size of one write, in UTF-16 code units. The server starts on it while this process continues. */
const fullWrite = 512;

/** Forwards all requests of one turn with as few writes as possible. */
function flush(): void {
  if (lines !== "") upstream.stdin.write(lines);
  lines = "";
}

createInterface({ input: upstream.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line) as { id: number; result: object };
  const { response, id: asked } = waiting.get(id) ?? {};
  waiting.delete(id);
  const text = JSON.stringify({ jsonrpc: "2.0", id: asked, result });
  response?.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response?.end(text);
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Call;
    const own = { name: params.name, arguments: params.arguments };
    lastId += 1;
    waiting.set(lastId, { id, response });
    if (lines === "") setImmediate(flush);
    lines += `${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params: own })}\n`;
    if (lines.length >= fullWrite) flush();
  });
});

flush();
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => {
  upstream.kill();
  process.exit();
});
