// `gateway.upstreams.NAME.credentials`: what the gateway shows a remote upstream, for all callers or for one.
import { secretsInKey } from "./private-key.ts";
import type {
  ClientCredentialSettings,
  CredentialGrant,
  CredentialSettings,
  EnterpriseManagedSettings,
  IdentityProviderSettings,
  PrivateKeySettings,
} from "./settings.ts";
import { flag, headers, named, optional, required, secret, section, text, texts, url, type Value } from "./values.ts";

const privateKey: Value<PrivateKeySettings> = section({
  key: optional(secret(text, secretsInKey), "The private key: PEM or JWK.", { examples: ["${CLIENT_KEY}"] }),
  file: optional(
    text,
    "A file with the key, relative to the folder of the configuration. A change of the file reloads the configuration.",
    { examples: ["/run/secrets/lethe.pem"] },
  ),
  algorithm: optional(
    text,
    "The signature algorithm. Default: that of the curve (ES256, ES384, ES512, EdDSA), or RS256 for an RSA key.",
    { examples: ["PS256"] },
  ),
  keyId: optional(text, "The `kid` of the key at the authorization server. Default: none is named.", {
    examples: ["2026-11"],
  }),
})
  .refine(({ key, file }) => (key === undefined) !== (file === undefined), {
    error: 'must have either "key" or "file"',
  })
  .meta({ id: "PrivateKeySettings", description: "A key that signs assertions (private_key_jwt)." });

const clientShape = {
  clientId: required(text, "The id of the gateway as a client.", { examples: ["lethe"] }),
  clientSecret: optional(secret(text), "The secret of the client.", { examples: ["${CLIENT_SECRET}"] }),
  privateKey: optional(
    privateKey,
    "Signs an assertion in place of a secret, which the authorization server never sees.",
  ),
};

const issuer = optional(
  url,
  "The only authorization server that may receive the secret or an assertion. Default: the first one that the upstream names, which is recorded and logged.",
  { examples: ["https://login.example.com"] },
);
const scopes = optional(texts, "The requested scopes. Default: those that the upstream names.", {
  examples: [["read"]],
});

interface Identity {
  readonly clientSecret?: string;
  readonly privateKey?: PrivateKeySettings;
}

const hasOneProof = ({ clientSecret, privateKey }: Identity): boolean =>
  (clientSecret === undefined) !== (privateKey === undefined);
const oneProof = { error: 'must have either "clientSecret" or "privateKey"' };

const clientCredentials: Value<ClientCredentialSettings> = section({ ...clientShape, issuer, scopes })
  .refine(hasOneProof, oneProof)
  .meta({ id: "ClientCredentialSettings", description: "Client credentials (OAuth) of the gateway." });

const identityProvider: Value<IdentityProviderSettings> = section({
  issuer: required(url, "The issuer of the id tokens.", { examples: ["https://idp.example.com"] }),
  tokenEndpoint: optional(url, "Default: from the metadata of the issuer.", {
    examples: ["https://idp.example.com/token"],
  }),
  ...clientShape,
  clientId: required(text, "The id of the gateway at the identity provider, which is the audience of the id tokens.", {
    examples: ["lethe"],
  }),
})
  .refine(hasOneProof, oneProof)
  .meta({ id: "IdentityProviderSettings", description: "The identity provider of the company." });

const enterpriseManaged: Value<EnterpriseManagedSettings> = section({
  ...clientShape,
  issuer,
  scopes,
  identityProvider: required(identityProvider, "The identity provider, which decides what the identity may access."),
  idTokenFile: required(
    text,
    "A file with the id token of the identity, relative to the folder of the configuration. It is read for each token, so that another program can renew it.",
    { examples: ["/run/secrets/id-token"] },
  ),
})
  .refine(hasOneProof, oneProof)
  .meta({
    id: "EnterpriseManagedSettings",
    description: "Enterprise-managed authorization of one identity that the operator signs in.",
  });

const grantShape = {
  headers: optional(
    headers,
    "Sent with every MCP request, in addition to the headers of the server's entry. They replace those of the same name.",
    { examples: [{ Authorization: "Bearer ${UPSTREAM_TOKEN}" }] },
  ),
  clientCredentials: optional(clientCredentials, "Tokens that the gateway gets by the client credentials grant."),
  enterpriseManaged: optional(
    enterpriseManaged,
    "Tokens that the gateway gets by enterprise-managed authorization, in exchange for an id token.",
  ),
};

const hasOneGrant = ({ clientCredentials, enterpriseManaged }: CredentialGrant): boolean =>
  clientCredentials === undefined || enterpriseManaged === undefined;
const oneGrant = { error: 'must not have both "clientCredentials" and "enterpriseManaged"' };

const credentialGrant: Value<CredentialGrant> = section(grantShape).refine(hasOneGrant, oneGrant).meta({
  id: "CredentialGrant",
  description: "One set of credentials.",
});

// J-62, G-5.
export const credentials: Value<CredentialSettings> = section({
  ...grantShape,
  callers: optional(
    named(credentialGrant),
    "Credentials by caller id. Other callers use the grant above, or none if `callerRequired`.",
    { examples: [{ "key ci": { headers: { Authorization: "Bearer ${CI_TOKEN}" } } }] },
  ),
  callerRequired: optional(flag, "Whether callers without their own entry are refused.", { default: false }),
})
  .refine(hasOneGrant, oneGrant)
  .meta({
    id: "CredentialSettings",
    description: "The gateway's credentials at the upstream. Never the token of the caller.",
  });
