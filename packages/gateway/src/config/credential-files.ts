// The files that credentials of upstreams name: private keys are read with the configuration, id tokens whenever they are needed.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parsePrivateKey, secretsInKey } from "./schema/private-key.ts";
import type {
  CredentialGrant,
  CredentialSettings,
  EnterpriseManagedSettings,
  PrivateKeySettings,
} from "./schema/settings.ts";
import type { Path } from "./source-file.ts";

export interface CredentialFilesContext {
  /** The folder of relative paths. */
  readonly folder: string;
  /** Called with the path of each file that was read. */
  onFile(path: string): void;
  onSecret(value: string): void;
  /** `at` leads from the credentials to the setting. */
  onProblem(at: Path, problem: string): void;
}

/** Returns the credentials with the keys in place of the names of their files, and absolute paths of id tokens. */
export function readCredentialFiles(
  { callers, ...own }: CredentialSettings,
  context: CredentialFilesContext,
): CredentialSettings {
  const ofCallers = Object.entries(callers ?? {}).map(
    ([caller, grant]) => [caller, readGrant(grant, ["callers", caller], context)] as const,
  );
  return { ...readGrant(own, [], context), ...(callers && { callers: Object.fromEntries(ofCallers) }) };
}

function readGrant<G extends CredentialGrant>(grant: G, at: Path, context: CredentialFilesContext): G {
  const { clientCredentials, enterpriseManaged } = grant;
  return {
    ...grant,
    ...(clientCredentials && {
      clientCredentials: withKey(clientCredentials, [...at, "clientCredentials"], context),
    }),
    ...(enterpriseManaged && {
      enterpriseManaged: readEnterpriseManaged(enterpriseManaged, [...at, "enterpriseManaged"], context),
    }),
  };
}

function readEnterpriseManaged(
  settings: EnterpriseManagedSettings,
  at: Path,
  context: CredentialFilesContext,
): EnterpriseManagedSettings {
  return {
    ...withKey(settings, at, context),
    identityProvider: withKey(settings.identityProvider, [...at, "identityProvider"], context),
    idTokenFile: resolve(context.folder, settings.idTokenFile),
  };
}

function withKey<C extends { privateKey?: PrivateKeySettings }>(
  client: C,
  at: Path,
  context: CredentialFilesContext,
): C {
  const { privateKey } = client;
  if (!privateKey) return client;
  const { file, ...others } = privateKey;
  const member = file === undefined ? "key" : "file";
  try {
    const key = file === undefined ? privateKey.key : readKey(resolve(context.folder, file), context);
    if (key === undefined) return client;
    parsePrivateKey(key);
    return { ...client, privateKey: { ...others, key } };
  } catch (error) {
    context.onProblem([...at, "privateKey", member], (error as Error).message);
    return client;
  }
}

function readKey(path: string, { onFile, onSecret }: CredentialFilesContext): string {
  onFile(path);
  try {
    const key = readFileSync(path, "utf8");
    for (const secret of secretsInKey(key)) onSecret(secret);
    return key;
  } catch (error) {
    const { code = "an error" } = error as NodeJS.ErrnoException;
    throw new Error(`must be a file that can be read, got ${code} for "${path}"`);
  }
}
