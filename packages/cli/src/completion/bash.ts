// The completion script for bash.
import { type CommandEntry, quote } from "./command-table.ts";

/** Without a candidate, bash completes files: values of options, arguments, and the command after "--". */
export function toBashScript(table: readonly CommandEntry[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [quote(path)]));
  const values = table.flatMap(({ path, options }) =>
    options.flatMap(({ flags, takesValue, choices }) => {
      const labels = flags.map((flag) => quote(`${path}|${flag}`)).join("|");
      return takesValue ? [`    ${labels}) candidates=${quote(choices.join(" "))}; isValue=1 ;;`] : [];
    }),
  );
  const words = table.map(({ path, commands, options, choices }) => {
    const flags = options.flatMap((option) => option.flags);
    const names = [...commands.map(({ name }) => name), ...choices];
    return `    ${quote(path)}) words=${quote(names.join(" "))}; flags=${quote(flags.join(" "))} ;;`;
  });
  return `# bash completion of lethe. To load it: source <(lethe completion bash)
_lethe() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local path= next= candidates= words= flags= isValue= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && return
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
    ${paths.join("|")}) path=$next ;;
    esac
  done
  case "$path|$prev" in
${values.join("\n")}
  esac
  if [[ -z $isValue ]]; then
    case "$path" in
${words.join("\n")}
    esac
    if [[ $cur == -* ]]; then candidates=$flags; else candidates=$words; fi
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$cur"))
}
complete -o default -o bashdefault -F _lethe lethe
`;
}
