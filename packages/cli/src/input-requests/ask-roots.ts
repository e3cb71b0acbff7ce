// Roots requests in the terminal (E-98): only folders that the user enters are disclosed.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Root } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import type { Prompt } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";

/** Rejects with Refusal. */
export async function askRoots(prompt: Prompt, style: Style): Promise<Root[]> {
  prompt.write("The server requests the folders in which it may work.\n");
  prompt.write(`${style.dim("One path per line; an empty line ends the list. Ctrl-D discloses none.")}\n`);
  const roots: Root[] = [];
  for (;;) {
    const path = await prompt.ask("> ");
    if (path === "") return roots;
    if (await isFolder(path)) roots.push(toRoot(path));
    else prompt.write(`${style.yellow("!")} no such folder: ${path}\n`);
  }
}

function toRoot(path: string): Root {
  return { uri: pathToFileURL(resolve(path)).href };
}

/** For `--root`. Rejects with CommandError. */
export async function toGivenRoot(path: string): Promise<Root> {
  if (await isFolder(path)) return toRoot(path);
  throw new CommandError(`--root: no such folder: ${path}`);
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
