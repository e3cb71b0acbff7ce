// Serves over stdio until the client leaves, or over HTTP until the user stops the command.
import { type Servable, serve, serveStdio } from "@lethe/server/node";
import { CommandError } from "../exit-code.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves in both cases, so that the caller can write its file. `what` is the first word of the line on stderr. */
export async function serveUntilEnd(servable: Servable, port: number | undefined, what: string): Promise<void> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  for (const name of signals) process.on(name, stop);
  try {
    if (port === undefined) await serveStdio(servable, { signal: stopped.signal });
    else await serveOverHttp(servable, { port, what, signal: stopped.signal });
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

interface HttpEnd {
  readonly port: number;
  readonly what: string;
  readonly signal: AbortSignal;
}

async function serveOverHttp(servable: Servable, { port, what, signal }: HttpEnd): Promise<void> {
  const serving = await serve(servable, { port }).catch((error: Error) => {
    throw new CommandError(error.message);
  });
  process.stderr.write(`${what} at ${serving.url}\nCtrl-C stops it.\n`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await serving.close({ graceMs: 1_000 });
}
