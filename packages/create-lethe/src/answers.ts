// Asks for what the command line leaves open. Without a terminal, the defaults apply.
import type { Options } from "./options.ts";
import { emptyFolderProblem } from "./target-folder.ts";
import { type Template, templateNames, templates } from "./templates.ts";

export interface Answers {
  readonly folder: string;
  readonly template: Template;
  readonly install: boolean;
}

const defaults: Answers = { folder: "my-mcp-server", template: "tools", install: true };

/** Resolves with undefined if the user cancels. */
export async function completeAnswers(options: Options, isInteractive: boolean): Promise<Answers | undefined> {
  const { folder, template, install } = options;
  if (!isInteractive || (folder !== undefined && template !== undefined && install !== undefined)) {
    return {
      folder: folder ?? defaults.folder,
      template: template ?? defaults.template,
      install: install ?? defaults.install,
    };
  }
  // Loaded on demand, because scripts answer by options.
  const prompts = await import("@clack/prompts");
  prompts.intro("Create a Model Context Protocol server");
  const given = await prompts.group(
    {
      folder: () =>
        folder === undefined
          ? prompts.text({
              message: "Folder of the project",
              placeholder: defaults.folder,
              defaultValue: defaults.folder,
              validate: (text) => emptyFolderProblem(text || defaults.folder),
            })
          : Promise.resolve(folder),
      template: () =>
        template === undefined
          ? prompts.select<Template>({
              message: "Template",
              options: templateNames.map((name) => ({ value: name, label: name, hint: templates[name] })),
              initialValue: defaults.template,
            })
          : Promise.resolve(template),
      install: () =>
        install === undefined
          ? prompts.confirm({ message: "Install the packages now?", initialValue: defaults.install })
          : Promise.resolve(install),
    },
    { onCancel: () => {} },
  );
  const { folder: chosen, template: kind, install: isInstalled } = given as Partial<Answers>;
  if (typeof chosen !== "string" || typeof kind !== "string" || typeof isInstalled !== "boolean") {
    prompts.cancel("Cancelled. Nothing was written.");
    return undefined;
  }
  return { folder: chosen, template: kind, install: isInstalled };
}
