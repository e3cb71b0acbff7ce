// Tests of server programs: a module or a command, in a child process.
import { fileURLToPath } from "node:url";
import { createServer } from "@lethe/server";
import { combinations, testClient } from "@lethe/server/testing";
import { expect, test } from "vitest";

const url = new URL("./greeter.mjs", import.meta.url);
const path = fileURLToPath(url);

test.each([
  ["a file URL", url],
  ["a path", path],
  ["a command", { command: process.execPath, args: [path] }],
])("a program given by %s runs in a child process, in every revision", async (_, program) => {
  for (const revision of ["2026-07-28", "2024-11-05"] as const) {
    await using client = await testClient(program, { revision });
    const { content } = await client.callTool("pid");
    expect(content).not.toMatchObject([{ text: String(process.pid) }]);
  }
});

test("a program that fails at its start is reported with its stderr", async () => {
  await expect(testClient({ command: process.execPath, args: [path], env: { FAIL: "1" } })).rejects.toThrow(
    /exited with code 1.*no database/s,
  );
});

test("stdio of all combinations runs the program if there is one", async () => {
  const server = createServer({ name: "here", version: "1" }).tool("pid", { handler: () => String(process.pid) });
  const [stdio] = combinations(server, { program: url, revisions: ["2025-11-25"], transports: ["stdio"] });
  await stdio?.run(async (client) => {
    expect(client.server._meta).not.toMatchObject({ "io.modelcontextprotocol/serverInfo": { name: "here" } });
  });
});
