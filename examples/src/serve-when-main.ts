// Serves an example if it is the main program, not if a test imports it.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Servable, serve } from "@lethe/server/node";

/** The port of the examples. */
export const port = Number(process.env.PORT ?? 3000);

export function isMain(moduleUrl: string): boolean {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}

export async function serveWhenMain(server: Servable, moduleUrl: string): Promise<void> {
  if (!isMain(moduleUrl)) return;
  const { url } = await serve(server, { port });
  console.log(`Listening on ${url}`);
}
