// What the command prints at its end: the next steps, or JSON.
import { relative } from "node:path";
import type { Answers } from "./answers.ts";
import { commandsOf, type PackageManager } from "./package-manager.ts";
import type { Template } from "./templates.ts";

/** A call that the new server answers. */
const exampleCalls: Readonly<Record<Template, string>> = {
  tools: "lethe call http://127.0.0.1:3000/mcp greet name=Ada",
  interactive: "lethe call http://127.0.0.1:3000/mcp book_table people=4",
  app: "lethe call http://127.0.0.1:3000/mcp show_dice sides=6 count=2",
  gateway: "lethe call http://127.0.0.1:3000/mcp notes__add text=hello",
};

export interface Outcome extends Answers {
  readonly manager: PackageManager;
  readonly files: readonly string[];
}

export function toReport({ folder, template, install, manager, files }: Outcome, isJson: boolean): string {
  const commands = commandsOf[manager];
  const place = relative(process.cwd(), folder);
  const steps = [
    ...(place === "" ? [] : [`cd ${/\s/.test(place) ? JSON.stringify(place) : place}`]),
    ...(install ? [] : [commands.install]),
    commands.test,
    commands.start,
  ];
  const call = `${commands.exec} ${exampleCalls[template]}`;
  if (isJson) {
    const report = { folder, template, packageManager: manager, isInstalled: install, files, next: [...steps, call] };
    return `${JSON.stringify(report, null, 2)}\n`;
  }
  return `
Created ${place === "" ? "the project" : place}. Next:

${steps.map((step) => `  ${step}`).join("\n")}

and in another terminal, in the same folder:

  ${call}
`;
}
