// The OAuth grant that the settings of an upstream describe, and the client that the gateway is there.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { clientCredentials, enterpriseManaged, type Grant, type OAuthClient } from "@lethe/client/auth";
import { parsePrivateKey } from "../../config/schema/private-key.ts";
import type {
  ClientCredentialSettings,
  EnterpriseManagedSettings,
  IdentityProviderSettings,
  PrivateKeySettings,
} from "../../config/schema/settings.ts";

export type GrantSettings = ClientCredentialSettings | EnterpriseManagedSettings;

/** Throws an Error for a private key that cannot be read. */
export function grantOf(settings: GrantSettings): Grant {
  const { issuer } = settings;
  const client = { ...toClient(settings), ...(issuer !== undefined && { issuer }) };
  if (!("identityProvider" in settings)) return clientCredentials({ client });
  const { identityProvider, idTokenFile } = settings;
  const { issuer: provider, tokenEndpoint } = identityProvider;
  return enterpriseManaged({
    client,
    identityProvider: {
      issuer: provider,
      ...(tokenEndpoint !== undefined && { tokenEndpoint }),
      client: toClient(identityProvider),
    },
    idToken: () => readIdToken(idTokenFile),
  });
}

/** Reads the file each time, because id tokens are valid for minutes and another program renews them. */
export async function readIdToken(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`the id token cannot be read from ${file}: ${cause.code}; write it there`, { cause });
  });
  const token = text.trim();
  if (token === "") throw new Error(`${file} must contain an id token, got an empty file`);
  return token;
}

function toClient(settings: GrantSettings | IdentityProviderSettings): OAuthClient {
  const { clientId, clientSecret, privateKey } = settings;
  return {
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey && { privateKey: toClientKey(privateKey) }),
  };
}

/** Configuration files bring the key itself. A program may name a file. */
function toClientKey({ key, file = "", algorithm, keyId }: PrivateKeySettings): Required<OAuthClient>["privateKey"] {
  const parsed = parsePrivateKey(key ?? readFileSync(file, "utf8"));
  return { ...parsed, ...(algorithm !== undefined && { algorithm }), ...(keyId !== undefined && { keyId }) };
}
