// A FastMCP 2.14 server asks in the middle of calls and does not say which call asks: over stdio and HTTP+SSE nothing on the
// wire shows it. `LETHE_FULL=1` makes 1,000 calls of up to 32 callers for each combination and prints the numbers.
import type { UpstreamConfig } from "@lethe/gateway";
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
    const stdio: UpstreamConfig = {
      kind: "stdio",
      name: "stdio",
      command: python,
      args: [asksScript, "stdio"],
      env: {},
    };
    const overHttp = await Promise.all((["sse", "http", "stateless"] as const).map(startOver));
    running = await runGateway({ upstreams: [stdio, ...overHttp] });
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
});
