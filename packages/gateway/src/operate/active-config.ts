// The active configuration of a running gateway, with the policy and the masks that derive from it.
import type { ReadConfig } from "../config/read-config.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { createPolicy, type Policy } from "../edge/policy/policy.ts";
import { createSecretMask, type SecretMask } from "../upstreams/connection/secret-mask.ts";
import { createRedactor, type Redactor } from "./observe/redact.ts";

/** Enough for the secrets of several configurations, so that frequent reloads do not slow down masking. */
const maxSecrets = 1_000;

export class ActiveConfig {
  /** Masks secrets in what operators see. A reload adds secrets to it. */
  readonly redactor: Redactor = {
    text: (text) => this.#derived.redactor.text(text),
    repeatedText: (text) => this.#derived.redactor.repeatedText(text),
    value: (value) => this.#derived.redactor.value(value),
    isLongerThan: (maxLength, value) => this.#derived.redactor.isLongerThan(maxLength, value),
  };
  /** Masks secrets in upstream error text that callers see. A reload adds secrets to it. */
  readonly mask: SecretMask = {
    text: (text) => this.#derived.mask.text(text),
    value: (value) => this.#derived.mask.value(value),
  };
  #derived: Derived;

  constructor(read: ReadConfig) {
    this.#derived = derive(read, []);
  }

  get read(): ReadConfig {
    return this.#derived.read;
  }

  get settings(): GatewaySettings {
    return this.#derived.read.config.settings ?? {};
  }

  /** Undefined when the configuration has no policy: every caller may use everything. */
  get policy(): Policy | undefined {
    return this.#derived.policy;
  }

  /** Whether callers must authenticate. */
  get hasAuth(): boolean {
    return this.settings.auth !== undefined;
  }

  /** Secrets of the previous configuration stay masked, because text that contains them may still be shown. */
  replace(read: ReadConfig): void {
    this.#derived = derive(read, this.#derived.secrets);
  }
}

interface Derived {
  readonly read: ReadConfig;
  readonly policy: Policy | undefined;
  readonly redactor: Redactor;
  readonly mask: SecretMask;
  /** The secrets that both masks know. */
  readonly secrets: readonly string[];
}

function derive(read: ReadConfig, earlierSecrets: readonly string[]): Derived {
  const { policy } = read.config.settings ?? {};
  const known = [...new Set([...read.secrets, ...earlierSecrets])];
  const secrets = known.slice(0, Math.max(maxSecrets, read.secrets.length));
  return {
    read,
    policy: policy && createPolicy(policy),
    redactor: createRedactor(secrets),
    mask: createSecretMask(secrets),
    secrets,
  };
}
