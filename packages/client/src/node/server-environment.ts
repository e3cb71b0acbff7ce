// What a server process sees of our environment: enough to start, and none of our secrets.

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

/** What a server gets: that, and `given`, which wins. */
export function toServerEnvironment(
  given: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const inherited = inheritedEnvironment(environment, platform);
  // There "Path" is PATH, and of two spellings Node takes the first in the alphabet: ours.
  if (platform === "win32") for (const name of Object.keys(given)) delete inherited[name.toUpperCase()];
  return { ...inherited, ...given };
}

function inheritedEnvironment(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of platform === "win32" ? windowsNames : posixNames) {
    const value = environment[name];
    // A shell function that somebody exported is code, not a setting.
    if (value !== undefined && !value.startsWith("()")) inherited[name] = value;
  }
  return inherited;
}
