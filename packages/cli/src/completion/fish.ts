// The completion script for fish.
import { type CommandEntry, quote } from "./command-table.ts";

export function toFishScript(table: readonly CommandEntry[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [quote(path, true)]));
  return `# fish completion of lethe. To load it: lethe completion fish | source
function __lethe_path
    set -l path
    for word in (commandline -opc)[2..-1]
        if test "$word" = --
            echo --
            return
        end
        set -l next (string join ' ' -- $path $word)
        if contains -- "$next" ${paths.join(" ")}
            set path $path $word
        end
    end
    string join ' ' -- $path
end
function __lethe_is
    set -l path (__lethe_path)
    test "$path" = "$argv[1]"
end
${table.flatMap(toLines).join("\n")}
`;
}

function toLines({ path, commands, options, choices }: CommandEntry): string[] {
  const condition = `complete -c lethe -n ${quote(`__lethe_is ${quote(path, true)}`, true)}`;
  return [
    ...commands.map(
      ({ name, description }) => `${condition} -f -a ${quote(name, true)} -d ${quote(description, true)}`,
    ),
    ...(choices.length > 0 ? [`${condition} -f -a ${quote(choices.join(" "), true)}`] : []),
    ...options.map(({ flags, description, takesValue, choices: values }) => {
      const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const value = values.length > 0 ? ` -x -a ${quote(values.join(" "), true)}` : takesValue ? " -r" : "";
      return `${condition} ${names.join(" ")}${value} -d ${quote(description, true)}`;
    }),
  ];
}
