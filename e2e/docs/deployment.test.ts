// Runs the programs of docs/deploy/ that need no other runtime: the Next.js route, the Lambda handler and the container.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { checkDeployment, documentedCode, keys, post, type Send } from "./testing/deployment.ts";

const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".deploy-"));

beforeAll(() => {
  vi.stubEnv("LETHE_KEYS", keys);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

function write(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

describe("the route handler of docs/deploy/vercel-next.md", () => {
  let route: Record<"GET" | "POST" | "DELETE", Send> & { maxDuration: number };
  const url = "https://app.example/mcp";

  beforeAll(async () => {
    route = await import(write("route.ts", documentedCode("vercel-next", "ts")));
  });

  it("answers a call with a round of input", () => checkDeployment(url, route.POST));

  it("ignores the second parameter that Next.js passes", async () => {
    const handler = route.POST as (request: Request, context: unknown) => Promise<Response>;
    await checkDeployment(url, (request) => handler(request, { params: Promise.resolve({}) }));
  });

  it("rejects a subscription, which would occupy the function", async () => {
    const response = await route.POST(post(url, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    expect(response.status).toBe(503);
  });

  it("answers GET and DELETE of older clients", async () => {
    const accept = { Accept: "text/event-stream" };
    expect((await route.GET(new Request(url, { headers: accept }))).status).toBeGreaterThanOrEqual(400);
    expect((await route.DELETE(new Request(url, { method: "DELETE" }))).status).toBeGreaterThanOrEqual(400);
  });
});

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

describe("the handler of docs/deploy/aws-lambda.md", () => {
  let handler: (event: unknown) => Promise<LambdaAnswer>;
  const url = "https://abc123.lambda-url.eu-central-1.on.aws/mcp";

  beforeAll(async () => {
    ({ handler } = await import(write("index.mjs", documentedCode("aws-lambda", "js"))));
  });

  /** An event in the form that function URLs and HTTP APIs send. */
  async function toEvent(request: Request, isBase64Encoded: boolean): Promise<unknown> {
    const { pathname, search, hostname } = new URL(request.url);
    const text = await request.text();
    return {
      version: "2.0",
      routeKey: "$default",
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: { ...Object.fromEntries(request.headers), host: hostname, "x-forwarded-for": "192.0.2.1" },
      requestContext: {
        accountId: "anonymous",
        apiId: "abc123",
        domainName: hostname,
        domainPrefix: "abc123",
        http: {
          method: request.method,
          path: pathname,
          protocol: "HTTP/1.1",
          sourceIp: "192.0.2.1",
          userAgent: "test",
        },
        requestId: "1",
        routeKey: "$default",
        stage: "$default",
        time: "01/Jan/2026:00:00:00 +0000",
        timeEpoch: 1_767_225_600_000,
      },
      ...(text !== "" && { body: isBase64Encoded ? Buffer.from(text).toString("base64") : text }),
      isBase64Encoded,
    };
  }

  function sendEvents(isBase64Encoded: boolean): Send {
    return async (request) => {
      const { statusCode, headers, body } = await handler(
        JSON.parse(JSON.stringify(await toEvent(request, isBase64Encoded))),
      );
      return new Response(body, { status: statusCode, headers });
    };
  }

  it.each([
    ["text", false],
    ["base64", true],
  ])("answers a call with a round of input for a body as %s", (_, isBase64Encoded) =>
    checkDeployment(url, sendEvents(isBase64Encoded)),
  );

  it("answers an event without a body", async () => {
    const response = await sendEvents(false)(new Request(url, { headers: { Accept: "text/event-stream" } }));
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it("rejects a subscription, which would occupy the function", async () => {
    const request = post(url, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect((await sendEvents(false)(request)).status).toBe(503);
  });
});

describe("the container of docs/deploy/containers.md", () => {
  const dockerfile = documentedCode("containers", "dockerfile");
  const instructions = dockerfile.replaceAll("\\\n", "").trimEnd().split("\n");
  let child: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const env = { ...process.env, PORT: "0", LETHE_KEYS: keys, STOP_DELAY_MS: "0" };
    const main = write("main.mjs", documentedCode("containers", "js"));
    child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [string];
    url = line.replace("Listening on ", "").replace("0.0.0.0", "127.0.0.1");
  });
  afterAll(() => void child.kill("SIGKILL"));

  /** Runs the command of HEALTHCHECK as the container runtime does. */
  async function checkHealth(port: string): Promise<unknown> {
    const words = /HEALTHCHECK.*?CMD (\[.*\])/.exec(instructions.join("\n"))?.[1] ?? "";
    const [, ...args] = JSON.parse(words) as string[];
    const check = spawn(process.execPath, args, { env: { ...process.env, PORT: port }, stdio: "ignore" });
    return (await once(check, "exit"))[0];
  }

  it("answers a call with a round of input", () => checkDeployment(url, fetch));

  it("is healthy while it runs, and ends after SIGTERM", async () => {
    const { port } = new URL(url);
    expect(await checkHealth(port)).toBe(0);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await checkHealth(port)).toBe(1);
  });

  it("has an image that runs its program as a user other than root", () => {
    const names = instructions.map((line) => line.split(" ")[0]);
    expect(names).toEqual([
      ...["FROM", "ENV", "WORKDIR", "COPY", "RUN", "COPY", "USER", "EXPOSE", "HEALTHCHECK", "CMD"],
    ]);
    expect(instructions).toContain("USER node");
    expect(JSON.parse((instructions.at(-1) ?? "").replace("CMD ", ""))).toEqual(["node", "main.js"]);
  });
});
