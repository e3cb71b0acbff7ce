// A gateway with the configuration of a test, in a folder of its own that is removed when the gateway stops.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningGateway, root, startGateway } from "../../processes/lethe.ts";

/** The published server "memory", which starts quickly. */
export const memory = {
  command: "node",
  args: [join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
};

export interface OwnGateway extends RunningGateway {
  /** The path of the configuration. */
  readonly config: string;
}

export async function startOwnGateway(document: object): Promise<OwnGateway> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-console-"));
  const config = join(folder, "servers.json");
  await writeFile(config, JSON.stringify(document));
  const gateway = await startGateway(config);
  return {
    ...{ ...gateway, config },
    async stop(signal) {
      const code = await gateway.stop(signal);
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}
