// A FastMCP 2.14 server elicits input during calls without naming the call: over stdio and HTTP+SSE nothing on the
// wire identifies it. `LETHE_FULL=1` makes 1,000 calls of up to 32 callers for each combination and prints the numbers.
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { UpstreamConfig, UpstreamPolicy } from "lethe/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asksScript, fastmcp214, installPython } from "../programs/python.ts";
import { type RunningServer, startPublished } from "../servers/published.ts";
import { askSideBySide, type CallerEra } from "./asking-callers.ts";
import { type RunningGateway, runGateway } from "./in-process.ts";

const installed = await installPython(fastmcp214);
const python = installed.python ?? "";
const isFull = process.env.LETHE_FULL === "1";
const eras: readonly CallerEra[] = ["modern", "legacy"];
const sizes = isFull ? [2, 8, 32] : [2, 8];
const calls = isFull ? 1_000 : 24;
const isMissing = installed.reason !== undefined;
const why = isMissing ? ` (skipped: ${installed.reason})` : "";

const paths = { sse: "/sse", http: "/mcp", stateless: "/mcp" };

function stdio(policy: UpstreamPolicy = {}): UpstreamConfig {
  return { kind: "stdio", name: "stdio", command: python, args: [asksScript, "stdio"], env: {}, ...policy };
}

describe.skipIf(isMissing)(`a FastMCP 2.14 server without credentials${why}`, () => {
  const servers: RunningServer[] = [];
  let running: RunningGateway;
  const urlOf = (name: string) => `${running.url}/${name}`;

  async function startOver(way: keyof typeof paths): Promise<UpstreamConfig> {
    const program = (port: number) => ({ command: python, args: [asksScript, way, String(port)] });
    const server = await startPublished({ program, path: paths[way] });
    servers.push(server);
    return { kind: "http", name: way, url: server.url, headers: {} };
  }

  beforeAll(async () => {
    const overHttp = await Promise.all((["sse", "http", "stateless"] as const).map(startOver));
    running = await runGateway({ upstreams: [stdio(), ...overHttp] });
  });
  afterAll(async () => {
    await running?.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  describe.each(["stdio", "sse", "http"])("over %s", (way) => {
    const combinations = eras.flatMap((era) => sizes.map((callers) => [callers, era] as const));
    it.each(combinations)(
      "answers %i %s callers each with their own answers",
      async (callers, era) => {
        const tally = await askSideBySide(urlOf(way), { era, callers, calls });
        if (isFull) {
          const { right, wrong, failed, mostOpen, ms } = tally;
          const rate = Math.round((calls * 1_000) / ms);
          console.log(
            `${way}, ${callers} ${era} callers: ${right} right, ${wrong.length} wrong, ${failed.length} failed, ` +
              `at most ${mostOpen} questions open at once, ${rate} calls/s${failed[0] ? `, e.g. ${failed[0]}` : ""}`,
          );
        }
        expect(tally).toMatchObject({ right: calls, wrong: [], failed: [] });
      },
      600_000,
    );
  });

  it("fails a call that requests input from a server without sessions, and says what to change", async () => {
    const client = await connect(urlOf("stateless"), { elicit: () => ({ action: "accept", content: { name: "x" } }) });
    await expect(client.callTool("ask_user", { caller: "x" })).rejects.toMatchObject({
      data: { reason: "no_session", upstream: "stateless" },
      message: expect.stringContaining("stateless_http=False"),
    });
    await client.close();
  });

  it("runs other calls while an input request is pending, and continues with the answer", async () => {
    const other = await connect(urlOf("stdio"), { elicit: () => ({ action: "decline" }) });
    const plain = () => other.callTool("wait", { seconds: 0 });
    // From now on, the gateway knows that this tool requests no input.
    await plain();
    let answer = (_: string): void => {};
    let calling: Promise<object> = Promise.resolve({});
    const client = await new Promise<Client>((asked) => {
      const opening = connect(urlOf("stdio"), {
        elicit: () =>
          new Promise((resolve) => {
            answer = (name) => resolve({ action: "accept", content: { name } });
            void opening.then(asked);
          }),
      });
      calling = opening.then((opened) => opened.callTool("ask_user", { caller: "slow" }));
    });
    expect(await Promise.all([plain(), plain(), plain()])).toHaveLength(3);
    answer("a slow one");
    expect(await calling).toMatchObject({ content: [{ text: "a slow one" }] });
    await Promise.all([client.close(), other.close()]);
  });
});

describe.skipIf(isMissing)(`a FastMCP 2.14 process that authenticated callers share${why}`, () => {
  it("completes all calls and mixes up none", async () => {
    const callers = ["ann", "bob", "cat"];
    const running = await runGateway({
      upstreams: [stdio({ affinity: "shared" })],
      callers,
    });
    const clients = await Promise.all(
      callers.map((name) =>
        running.connect(
          { elicit: ({ message }) => ({ action: "accept", content: { name: `${name} ${message}` } }) },
          name,
        ),
      ),
    );
    const calls = clients.flatMap((client, index) =>
      [1, 2, 3, 4].map(async (turn) => {
        const caller = `${callers[index]}-${turn}`;
        const { content } = await client.callTool("stdio__ask_user", { caller });
        expect(content).toMatchObject([{ text: `${callers[index]} who is ${caller}?` }]);
      }),
    );
    await Promise.all(calls);
    await Promise.all(clients.map((client) => client.close()));
    await running.close();
  });

  it("has at most sessions.maxShared pending input requests", async () => {
    const running = await runGateway({ upstreams: [stdio({ sessions: { maxShared: 2 } })] });
    const ask = () => askSideBySide(`${running.url}/stdio`, { era: "modern", callers: 4, calls: 12, thinkMs: 50 });
    // Until the second process has started, the first one takes all calls.
    const open = async () => {
      const { right, mostOpen } = await ask();
      expect(right).toBe(12);
      return mostOpen;
    };
    await expect.poll(open, { timeout: 40_000 }).toBe(2);
    await running.close();
  });
});
