// Reads `gateway.upstreams.NAME`: the operator's settings for one server.
import type { Era, Root } from "@lethe/protocol";
import type { ClientCredentialSettings, CredentialGrant, CredentialSettings } from "./credential-settings.ts";
import { present } from "./present.ts";
import { readHeaders } from "./read-headers.ts";
import { readNumbers } from "./read-numbers.ts";
import type { Section } from "./section.ts";
import type {
  Affinity,
  Exposure,
  OnLoss,
  SessionLimits,
  SessionSettings,
  Sharing,
  UpstreamPolicy,
} from "./upstream-config.ts";

const eras: readonly Era[] = ["modern", "legacy"];
const sharings: readonly Sharing[] = ["shared", "session", "single"];
const affinities: readonly Affinity[] = ["caller", "handle", "call", "shared"];

const onLosses: readonly OnLoss[] = ["tell", "continue"];

const leastSessions = {
  ...{ max: 1, maxPerCaller: 1, maxShared: 1 },
  ...{ idleMs: 1, lifetimeMs: 1, waitMs: 0, turnWaitMs: 0, maxWaiting: 0 },
};

export function readUpstreamPolicy(section: Section, onSecret: (value: string) => void): UpstreamPolicy {
  const policy = present<UpstreamPolicy>({
    prefix: readPrefix(section),
    sharing: section.choice("sharing", sharings),
    affinity: section.choice("affinity", affinities),
    sessions: readSessions(section.section("sessions")),
    start: section.choice("start", ["eager", "demand"]),
    elicits: section.texts("elicits"),
    rerun: section.choice("rerun", ["never", "idempotent"]),
    roots: section.sections("roots")?.map(readRoot),
    tools: readExposure(section.section("tools")),
    prompts: readExposure(section.section("prompts")),
    resources: readFilter(section.section("resources")),
    clientInfo: section.choice("clientInfo", ["gateway", "caller"]),
    startTimeoutMs: section.milliseconds("startTimeoutMs", 1),
    timeoutMs: section.milliseconds("timeoutMs", 1),
    era: section.choice("era", eras),
    credentials: readCredentials(section.section("credentials"), onSecret),
    tasks: section.choice("tasks", ["auto", "never"]),
    isRequired: section.flag("required"),
  });
  section.rejectOthers();
  return policy;
}

function readSessions(section: Section | undefined): SessionSettings | undefined {
  if (!section) return undefined;
  const onLoss = section.choice("onLoss", onLosses);
  return { ...readNumbers<SessionLimits>(section, leastSessions), ...(onLoss && { onLoss }) };
}

function readRoot(section: Section): Root {
  const uri = section.requiredText("uri") ?? "";
  if (uri !== "" && !uri.startsWith("file://")) section.fail("uri", `must begin with file://, got "${uri}"`);
  const root = present<{ uri: string; name?: string }>({ uri, name: section.text("name") });
  section.rejectOthers();
  return root;
}

/** May be empty. Then names have no prefix, as long as no other upstream has the same ones. */
function readPrefix(section: Section): string | undefined {
  const prefix = section.text("prefix");
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{0,32}$/.test(prefix)) {
    section.fail("prefix", `must be at most 32 letters, digits, dashes or underscores, got "${prefix}"`);
  }
  return prefix;
}

function readExposure(section: Section | undefined): Exposure | undefined {
  if (!section) return undefined;
  const rename = section.textMap("rename");
  for (const [name, renamed] of Object.entries(rename ?? {})) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(renamed)) {
      section.fail(["rename", name], `must be 1 to 64 letters, digits, dashes or underscores, got "${renamed}"`);
    }
  }
  const offered = Object.values(rename ?? {});
  const twice = offered.find((name, index) => offered.indexOf(name) !== index);
  if (twice !== undefined) section.fail("rename", `must give each a name of its own, got "${twice}" twice`);
  return { ...(rename && { rename }), ...readFilter(section) };
}

function readFilter(section: Section | undefined): Pick<Exposure, "allow" | "deny"> | undefined {
  if (!section) return undefined;
  const filter = present<Pick<Exposure, "allow" | "deny">>({
    allow: section.texts("allow"),
    deny: section.texts("deny"),
  });
  section.rejectOthers();
  return filter;
}

function readCredentials(
  section: Section | undefined,
  onSecret: (value: string) => void,
): CredentialSettings | undefined {
  if (!section) return undefined;
  const grant = readGrant(section, onSecret);
  const named = section.namedSections("callers");
  const callers =
    named &&
    Object.fromEntries(
      [...named].map(([id, own]) => {
        const read = readGrant(own, onSecret);
        own.rejectOthers();
        return [id, read];
      }),
    );
  const credentials = present<CredentialSettings>({
    headers: grant.headers,
    clientCredentials: grant.clientCredentials,
    callers,
    isCallerRequired: section.flag("callerRequired"),
  });
  section.rejectOthers();
  return credentials;
}

function readGrant(section: Section, onSecret: (value: string) => void): CredentialGrant {
  const { headers, reserved } = readHeaders(section, onSecret);
  if (reserved[0] !== undefined)
    section.fail(["headers", reserved[0]], "must not be set: the protocol sets this header");
  return present<CredentialGrant>({
    headers,
    clientCredentials: readClientCredentials(section.section("clientCredentials"), onSecret),
  });
}

function readClientCredentials(
  section: Section | undefined,
  onSecret: (value: string) => void,
): ClientCredentialSettings | undefined {
  if (!section) return undefined;
  const clientSecret = section.requiredText("clientSecret") ?? "";
  onSecret(clientSecret);
  const settings = present<ClientCredentialSettings>({
    clientId: section.requiredText("clientId") ?? "",
    clientSecret,
    issuer: section.url("issuer"),
    scopes: section.texts("scopes"),
  });
  section.rejectOthers();
  return settings;
}
