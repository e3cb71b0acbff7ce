// The completion script for zsh.
import { type CommandEntry, quote } from "./command-table.ts";

export function toZshScript(table: readonly CommandEntry[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [quote(path)]));
  const values = table.flatMap(({ path, options }) =>
    options.flatMap(({ flags, takesValue, choices }) => {
      const labels = flags.map((flag) => quote(`${path}|${flag}`)).join("|");
      const action = choices.length > 0 ? `compadd -- ${choices.map((choice) => quote(choice)).join(" ")}` : "_files";
      return takesValue ? [`    ${labels}) ${action}; return ;;`] : [];
    }),
  );
  const words = table.map(({ path, commands, options, choices }) => {
    const named = commands.map(({ name, description }) => quote(`${name}:${description}`));
    const flags = options.flatMap(({ flags: own, description }) => own.map((flag) => quote(`${flag}:${description}`)));
    const all = [...named, ...choices.map((choice) => quote(choice))];
    return `    ${quote(path)}) candidates=(${all.join(" ")}); flags=(${flags.join(" ")}) ;;`;
  });
  return `#compdef lethe
# zsh completion of lethe. To load it: source <(lethe completion zsh)
_lethe() {
  local command= next= word
  local -a candidates flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ $word == -- ]]; then _files; return; fi
    next="\${command:+$command }$word"
    case "$next" in
    ${paths.join("|")}) command=$next ;;
    esac
  done
  case "$command|\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$command" in
${words.join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe option flags
  elif (( \${#candidates} )); then _describe command candidates
  else _files
  fi
}
if [[ \${funcstack[1]} == _lethe ]]; then _lethe "$@"; else compdef _lethe lethe; fi
`;
}
