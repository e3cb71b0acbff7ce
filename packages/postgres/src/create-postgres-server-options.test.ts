import { createServer } from "@lethe/server";
import { expect, test } from "vitest";
import { call } from "../../server/src/testing/call.ts";
import { createPostgresServerOptions } from "./create-postgres-server-options.ts";
import { keys, usePostgres } from "./testing/own-postgres.ts";

const { connect, atEnd } = usePostgres();
const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

test("a second process answers for a task that the first one runs", async () => {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const options = await createPostgresServerOptions(await connect(), { keys });
      const server = createServer({ name: "s", version: "1" }, options);
      server.tool("work", { task: "always", handler: () => "done" });
      atEnd(() => server.close());
      return server;
    }),
  );
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]];
  const { taskId } = await call(one, "tools/call", { name: "work", arguments: {} }, { capabilities });
  const read = () => call(two, "tasks/get", { taskId: String(taskId) }, { capabilities });
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe("completed");
});

test("rejects an unknown option, and servers without keys", async () => {
  const postgres = await connect();
  await expect(createPostgresServerOptions(postgres, { key: keys } as object)).rejects.toThrow("key");
  await expect(createPostgresServerOptions(postgres, { keys: undefined })).rejects.toThrow(
    "LETHE_KEYS or the option keys expected",
  );
});
