// Imports the author's module and waits for its server: an export, or what it passes to `serve`.
import { relative } from "node:path";
import { describeMissing, findServer, type ModuleExports } from "./find-server.ts";
import type { Program, Served } from "./program.ts";

/** How long a program may take to call `serve` after its module has run, in ms. */
const serveMs = 3_000;

/** Rejects with the error of the module, or with one that says what was expected. `entry` is for messages. */
export async function loadProgram(url: string, entry: string, program: Program): Promise<Served> {
  const exported = import(url) as Promise<ModuleExports>;
  // A program may serve until it ends, so its module may never finish.
  const first = await Promise.race([
    exported.then((members) => ({ members })),
    program.served.then((served) => ({ served })),
  ]);
  if ("served" in first) {
    // An error after `serve` must not go unseen.
    exported.catch((error: unknown) => queueMicrotask(() => Promise.reject(error)));
    return first.served;
  }
  const { members } = first;
  const server = await Promise.race([nameFile(entry, findServer(members, program.created)), program.served]);
  if (server && "server" in server) return server;
  if (server) return { server, options: undefined };
  const timer = new Promise<undefined>((resolve) => setTimeout(resolve, serveMs, undefined));
  const late =
    program.created.length > 0 || mayServeLater(members) ? await Promise.race([program.served, timer]) : undefined;
  if (late) return late;
  throw new NoServer(`${nameOf(entry)} ${describeMissing(members)}`);
}

/** A message that needs no stack: the module is what is wrong. */
class NoServer extends Error {
  override readonly name = "NoServer";
}

/** A module without exports may be a program that still prepares something. */
function mayServeLater(members: ModuleExports): boolean {
  return Object.keys(members).length === 0;
}

async function nameFile<T>(entry: string, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("exports several"))
      throw new NoServer(`${nameOf(entry)} ${error.message}`);
    throw error;
  }
}

function nameOf(entry: string): string {
  return relative(process.cwd(), entry);
}
