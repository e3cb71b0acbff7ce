// The baseline client: http.request with keep-alive connections, or a pipe and readline, and JSON. It checks nothing, so no
// correct client can be much faster.
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { type Caller, type Target, textOf } from "./caller.ts";
import { greetHeaders, toGreetRequest } from "./greet-request.ts";

export async function connect(target: Target): Promise<Caller> {
  return typeof target === "string" ? overHttp(new URL(target)) : onStdio(target);
}

function overHttp({ hostname, port, pathname }: URL): Caller {
  const agent = new Agent({ keepAlive: true });
  let id = 0;
  return {
    call(name) {
      id += 1;
      const body = toGreetRequest(id, name);
      const headers = { ...greetHeaders, "content-length": Buffer.byteLength(body) };
      return new Promise((resolve, reject) => {
        const sent = request({ agent, hostname, port, path: pathname, method: "POST", headers }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.on("end", () => resolve(textOf(JSON.parse(text).result)));
        });
        sent.on("error", reject).end(body);
      });
    },
    close: async () => agent.destroy(),
  };
}

function onStdio([command = "", ...args]: readonly string[]): Caller {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (text: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(textOf(result));
    waiting.delete(id);
  });
  let id = 0;
  return {
    call(name) {
      id += 1;
      child.stdin.write(`${toGreetRequest(id, name)}\n`);
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close: async () => void child.kill(),
  };
}
