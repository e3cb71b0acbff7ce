// The environment of a server process: the variables that it needs to start, and no secrets.

const posixNames = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
];

const windowsNames = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/** The inherited variables and `given`, which takes precedence. */
export function toServerEnvironment(
  given: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const inherited = inheritedEnvironment(environment, platform);
  // On Windows "Path" and "PATH" are the same, and Node uses the spelling that sorts first: the inherited one.
  if (platform === "win32") for (const name of Object.keys(given)) delete inherited[name.toUpperCase()];
  return { ...inherited, ...given };
}

function inheritedEnvironment(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of platform === "win32" ? windowsNames : posixNames) {
    const value = environment[name];
    // An exported shell function is code, not a setting.
    if (value !== undefined && !value.startsWith("()")) inherited[name] = value;
  }
  return inherited;
}
