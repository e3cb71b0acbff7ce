// The HTTP server that the measured clients call.
import { createServer } from "node:http";
import { listen } from "../contenders/listen.ts";
import { answerTo } from "./peer-answer.ts";

const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    const text = answerTo(body);
    if (text === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
});

listen(server);
