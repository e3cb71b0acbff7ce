// The command line of create-lethe: its options and its help.
import { parseArgs } from "node:util";
import { isPackageManager, type PackageManager, packageManagers } from "./package-manager.ts";
import { isTemplate, type Template, templateNames, templates } from "./templates.ts";
import { UsageError } from "./usage-error.ts";

export interface Options {
  folder: string | undefined;
  template: Template | undefined;
  install: boolean | undefined;
  packageManager: PackageManager | undefined;
  letheFrom: string | undefined;
  yes: boolean;
  json: boolean;
  help: boolean;
  version: boolean;
}

const width = Math.max(...templateNames.map((name) => name.length));

export const helpText: string = `Usage: npm create lethe [folder] -- [options]

Creates a Model Context Protocol server: sources, a test, TypeScript settings, a CI workflow and a README.
Asks for what the command line leaves open. Without a terminal, the defaults apply.

Templates:
${templateNames.map((name) => `  ${name.padEnd(width)}  ${templates[name]}`).join("\n")}

Options:
  --template <name>         one of ${templateNames.join(", ")} (default: tools)
  --yes                     take the default for everything that is not given
  --no-install              do not install the packages
  --package-manager <name>  one of ${packageManagers.join(", ")} (default: the one that runs this command)
  --lethe-from <folder>     install the Lethe packages from tarballs in this folder; or set LETHE_FROM
  --json                    print the result as JSON; asks nothing
  --version                 print the version
  --help                    print this text

Examples:
  npm create lethe my-server
  npm create lethe my-server -- --template interactive --yes
  pnpm create lethe my-gateway --template gateway --no-install

Exit codes:
  0    success
  1    the command is invalid, or the folder is not empty
  2    the project was created, but its packages could not be installed
  130  Ctrl-C at a prompt; nothing was written
`;

/** Throws UsageError. */
export function parseOptions(words: string[], environment: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parse(words);
  if (positionals.length > 1) {
    throw new UsageError(`one folder is expected, got ${positionals.map((word) => `"${word}"`).join(" ")}`);
  }
  const { template, "package-manager": packageManager } = values;
  if (template !== undefined && !isTemplate(template)) {
    throw new UsageError(`--template must be one of ${templateNames.join(", ")}, got "${template}"`);
  }
  if (packageManager !== undefined && !isPackageManager(packageManager)) {
    throw new UsageError(`--package-manager must be one of ${packageManagers.join(", ")}, got "${packageManager}"`);
  }
  const [folder] = positionals;
  if (folder === "") throw new UsageError("the folder must not be empty; use . for the current one");
  return {
    folder,
    template,
    install: values["no-install"] ? false : undefined,
    packageManager,
    letheFrom: values["lethe-from"] ?? (environment.LETHE_FROM || undefined),
    yes: values.yes === true,
    json: values.json === true,
    help: values.help === true,
    version: values.version === true,
  };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        "package-manager": { type: "string" },
        "lethe-from": { type: "string" },
        "no-install": { type: "boolean" },
        yes: { type: "boolean", short: "y" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". To specify")[0]} (--help lists the options)`);
  }
}
