// Hostile peers cannot exhaust a process: with a heap of 256 MB it stays small and keeps serving.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { startProcess, stopProcess } from "../processes/server.ts";

const smallHeap = { NODE_OPTIONS: "--max-old-space-size=256" };
/** Without the wire recorder, which would keep all messages. */
const unrecorded = { NODE_OPTIONS: "" };
/** Only Linux has a file with the resident memory of another process. */
const isLinux = process.platform === "linux";

function residentMb({ pid }: Pick<ChildProcess, "pid">): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Starts a script that prints its URL. */
async function start(script: string, env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = startProcess(script, { env });
  let printed = "";
  while (!/https?:\/\/\S+\s/.test(printed)) {
    const [text] = await once(child.stdout as NodeJS.ReadableStream, "data");
    printed += text;
  }
  return { child, url: /https?:\/\/\S+/.exec(printed)?.[0] ?? "" };
}

describe.skipIf(!isLinux)(
  "a gateway with a heap of 256 MB, whose upstream sends three events of 16 MiB at a time",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "lethe-memory-"));
    let upstream: Awaited<ReturnType<typeof start>>;
    let gateway: RunningGateway | undefined;

    beforeAll(async () => {
      upstream = await start("e2e/memory/hostile-upstream.mjs", unrecorded);
      writeFileSync(join(folder, "lethe.json"), JSON.stringify({ mcpServers: { hostile: { url: upstream.url } } }));
    });
    afterAll(async () => {
      if (upstream) await stopProcess(upstream.child);
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(["empty_lines", "short_lines", "one_line", "one_event", "many_objects"])(
      "a gateway stays under 150 MB and serves other calls during large events made of %s",
      async (tool) => {
        gateway = await startGatewayWith(smallHeap, join(folder, "lethe.json"), "--port", "0");
        try {
          await using client = await connect(gateway.url);
          const outcomes = await Promise.allSettled([1, 2, 3].map(() => client.callTool(`hostile__${tool}`)));
          for (const outcome of outcomes) {
            expect(outcome).toMatchObject({
              status: "rejected",
              reason: { code: -32603, data: { upstream: "hostile" } },
            });
          }
          expect(residentMb(gateway.child)).toBeLessThan(150);
          expect(await client.callTool("hostile__fine")).toMatchObject({ content: [{ text: "fine" }] });
        } finally {
          await gateway.stop();
        }
      },
    );
  },
);

describe.skipIf(!isLinux)("a server with a heap of 256 MB", () => {
  it("a server with a heap of 256 MB stays under 150 MB while a client sends 23 MB in chunks of one byte, and serves other calls", async () => {
    const { child, url } = await start("examples/dist/first-server.js", { ...smallHeap, PORT: "0" });
    try {
      const socket = dial(Number(new URL(url).port), "127.0.0.1");
      socket.write(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
      const piece = "1\r\na\r\n".repeat(10_000);
      for (let sent = 0; sent < 390; sent += 1) if (!socket.write(piece)) await once(socket, "drain");
      // The body has not ended, so the gateway still holds its bytes.
      await using client = await connect(url);
      expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ content: [{ text: "1 + 2 = 3" }] });
      expect(residentMb(child)).toBeLessThan(150);
      socket.destroy();
    } finally {
      await stopProcess(child);
    }
  });
});
