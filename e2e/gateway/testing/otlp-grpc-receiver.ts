// A collector for tests that speaks gRPC: a process in Python with the official protocol files, whose exports are read as those over HTTP.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type OtlpReceiver, readExport } from "./otlp-receiver.ts";

/** What the process imports. */
export const receiverPins: readonly string[] = ["grpcio==1.85.3", "opentelemetry-proto==1.45.2"];

const script = fileURLToPath(new URL("../../servers/otlp_grpc_receiver.py", import.meta.url));

/** The path of each request is its signal. */
export async function startOtlpGrpcReceiver(python: string): Promise<OtlpReceiver> {
  const received: Omit<OtlpReceiver, "url" | typeof Symbol.asyncDispose> = {
    ...{ spans: [], logs: [], metrics: [], requests: [] },
    resource: {},
  };
  const child = spawn(python, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const port = await new Promise<number>((resolve, reject) => {
    closed.then(() => reject(new Error("the receiver ended before it listened")), reject);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { port: listening, signal, headers, body } = JSON.parse(line);
      if (listening !== undefined) return resolve(listening);
      const { "content-type": contentType = "application/grpc", authorization } = headers;
      received.requests.push({ path: signal, contentType, authorization, bytes: line.length });
      readExport(withHexIds(body), received);
    });
  });
  return Object.assign(received, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  });
}

const idNames = new Set(["traceId", "spanId", "parentSpanId"]);

/** The JSON of OTLP writes ids in hexadecimal, that of protobuf in base64. */
function withHexIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHexIds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      idNames.has(key) ? Buffer.from(String(member), "base64").toString("hex") : withHexIds(member),
    ]),
  );
}

/** A port that accepts connections and never answers. */
export async function startSilentPort(): Promise<
  AsyncDisposable & { readonly url: string; readonly connections: number }
> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
