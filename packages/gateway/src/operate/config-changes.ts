// What a reload of the configuration would change.

import type { ReadConfig } from "../config/read-config.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import type { ConfigChanges } from "./admin/api/health.ts";
import { differencesOf } from "./admin/config-differences.ts";
import { needsRestart } from "./fixed-settings.ts";
import { createRedactor, type Redactor } from "./observe/redact.ts";

export interface ConfigChangesOptions {
  /** The settings of the start. Some of them stay in effect until the process ends. */
  readonly startSettings: GatewaySettings;
  /** Masks the secrets of the active configuration. */
  readonly redactor: Redactor;
}

export const noChanges: ConfigChanges = {
  ...{ isValid: true, problems: [], notes: [], changes: [], omitted: 0, needsRestart: [] },
  upstreams: { added: [], changed: [], removed: [] },
};

export function toConfigChanges(
  before: ReadConfig,
  after: ReadConfig,
  { startSettings, redactor }: ConfigChangesOptions,
): ConfigChanges {
  const coming = createRedactor(after.secrets);
  const { changes, omitted } = differencesOf(before.config, after.config, {
    value: (value) => redactor.value(coming.value(value)),
  });
  const was = textsOf(before);
  const is = textsOf(after);
  const names = [...is.keys()];
  return {
    ...noChanges,
    notes: after.notes.map((note) => redactor.text(coming.text(note))),
    ...{ changes, omitted },
    upstreams: {
      added: names.filter((name) => !was.has(name)),
      changed: names.filter((name) => was.has(name) && was.get(name) !== is.get(name)),
      removed: [...was.keys()].filter((name) => !is.has(name)),
    },
    needsRestart: needsRestart(startSettings, after.config.settings),
  };
}

function textsOf({ config }: ReadConfig): Map<string, string> {
  return new Map(config.upstreams.map((upstream) => [upstream.name, JSON.stringify(upstream)]));
}
