// lethe gateway schema: prints the JSON Schema of configuration files.
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";

export function createSchemaCommand(): Command {
  return new Command("schema")
    .description("print the JSON Schema of configuration files, for editors and validators")
    .addHelpText("after", `${help}${exitCodeHelp()}`)
    .action(async () => {
      const { configurationSchema } = await import("@lethe/gateway");
      process.stdout.write(`${JSON.stringify(await configurationSchema(), undefined, 2)}\n`);
    });
}

const help = `
Editors complete and check a file that names the schema: "$schema": "./node_modules/lethe/gateway.schema.json".
In the schema, any text may contain \${NAME}. \`lethe gateway check\` also checks the values of variables.

Examples:
  lethe gateway schema > gateway.schema.json
  lethe gateway schema | jq '."$defs".LimitSettings.properties'
`;
