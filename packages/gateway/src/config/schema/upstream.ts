// `gateway.upstreams.NAME`: the operator's settings for one server.
import { credentials } from "./credentials.ts";
import { defaultSessions, defaultUpstream } from "./defaults.ts";
import type { Exposure, NameFilter, RootSettings, SessionSettings, UpstreamPolicy } from "./settings.ts";
import {
  choice,
  flag,
  list,
  milliseconds,
  named,
  optional,
  required,
  section,
  text,
  textLike,
  texts,
  type Value,
  whole,
} from "./values.ts";

const count = whole(1);

const sessionSettings: Value<SessionSettings> = section({
  max: optional(count, "Sessions of this upstream at a time, in each replica or worker.", {
    default: defaultSessions.max,
  }),
  maxPerCaller: optional(count, "Sessions of one caller.", { default: defaultSessions.maxPerCaller }),
  maxShared: optional(
    count,
    "The number of sessions for callers that share. More than 1 only suits servers that keep no state between calls: a call that may send input requests, or would wait for one that does, then uses a free session.",
    { default: defaultSessions.maxShared },
  ),
  idleMs: optional(milliseconds(1), "An unused session is closed after this time, in ms.", {
    default: defaultSessions.idleMs,
  }),
  lifetimeMs: optional(milliseconds(1), "The longest lifetime of a session, in ms. Running calls may finish.", {
    default: defaultSessions.lifetimeMs,
  }),
  waitMs: optional(milliseconds(0), "How long a request waits for a session or a start, in ms.", {
    default: defaultSessions.waitMs,
  }),
  turnWaitMs: optional(
    milliseconds(0),
    "How long a call waits for another one that may send input requests, in ms. Tool calls may take that long.",
    { default: defaultSessions.turnWaitMs },
  ),
  maxWaiting: optional(whole(0), "The number of requests that may wait.", { default: defaultSessions.maxWaiting }),
  onLoss: optional(
    choice("tell", "continue"),
    'What the next call of a caller gets when the state of its session is lost. tell: an error with the reason "session_lost", and the call does not start. continue: the call runs in a new session, and its result says so in `_meta`.',
    { default: "tell" },
  ),
}).meta({ id: "SessionSettings", description: "Limits of the sessions with one upstream, and what follows a loss." });

const filterShape = {
  allow: optional(texts, "The upstream's own names. `*` matches any text. Default: all.", { examples: [["get_*"]] }),
  deny: optional(texts, "Takes precedence over `allow`. Default: none.", { examples: [["delete_*"]] }),
};

export const nameFilter: Value<NameFilter> = section(filterShape).meta({
  id: "NameFilter",
  description: "The offered items.",
});

const offeredName = textLike(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, dashes or underscores");
const rename = named(offeredName).superRefine((given, context) => {
  const offered = Object.values(given);
  const twice = offered.find((name, index) => offered.indexOf(name) !== index);
  if (twice === undefined) return;
  context.addIssue({ code: "custom", message: `must give each a name of its own, got "${twice}" twice` });
});

const exposure: Value<Exposure> = section({
  ...filterShape,
  rename: optional(rename, "Maps the upstream's name to the offered one. Default: none.", {
    examples: [{ create_issue: "new_issue" }],
  }),
}).meta({ id: "Exposure", description: "The offered features and their names." });

const fileUri = text.startsWith("file://", { error: ({ input }) => `must begin with file://, got "${String(input)}"` });

const root: Value<RootSettings> = section({
  uri: required(fileUri, "A file:// URI.", { examples: ["file:///data"] }),
  name: optional(text, "The name for people.", { examples: ["data"] }),
}).meta({ id: "RootSettings", description: "A folder that the upstream may use." });

const prefix = textLike(/^[A-Za-z0-9_-]{0,32}$/, "at most 32 letters, digits, dashes or underscores");

export const upstreamPolicy: Value<UpstreamPolicy> = section({
  prefix: optional(
    prefix,
    'The prefix of public names. "" for none, as long as no other upstream has the same names. Default: the name of the upstream.',
    { examples: ["gh"] },
  ),
  sharing: optional(
    choice("shared", "session", "single"),
    "What the upstream keeps per connection; overrides the verdict, so that the upstream is not probed. shared: nothing, so all callers may share one connection. session: state of one caller, which no other may see. single: it has one session only and takes one request at a time. Default: the verdict decides.",
    { examples: ["shared"] },
  ),
  affinity: optional(
    choice("caller", "handle", "call", "shared"),
    "Which requests share a session of an upstream with sessions. caller: all requests of one caller. handle: all requests with the same handle, which the gateway issues. call: none, each call has its own session. shared: all requests. Default: follows from the verdict.",
    { examples: ["caller"] },
  ),
  sessions: optional(sessionSettings, "Limits of its sessions."),
  start: optional(
    choice("eager", "demand"),
    "eager: started at once and kept running. demand: started to read its lists, then on the first call.",
    { default: "eager" },
  ),
  elicits: optional(
    texts,
    "The tools, prompts and resource URIs that send input requests during a call. `*` matches any text. Only for servers of older revisions whose transport does not attribute requests to calls. Default: learned from the calls.",
    { examples: [["ask_*"]] },
  ),
  rerun: optional(
    choice("never", "idempotent"),
    "idempotent: a pending call that was lost runs again, if the tool declares that this is safe.",
    { default: "never" },
  ),
  roots: optional(
    list(root),
    "Answers `roots/list` of the upstream at any time. Default: forwarded to the caller of the running call, if there is one.",
    { examples: [[{ uri: "file:///data", name: "data" }]] },
  ),
  tools: optional(exposure, "The offered tools and their names."),
  prompts: optional(exposure, "The offered prompts and their names."),
  resources: optional(nameFilter, "The offered resources, by URI or by URI template."),
  extensions: optional(
    nameFilter,
    "The extensions that pass between callers and the upstream, by id: their declarations, methods, notifications, and `_meta` of requests. Default: all.",
    { examples: [{ deny: ["com.example/*"] }] },
  ),
  laterRevisions: optional(
    choice("relay", "reject"),
    "What the endpoint of the upstream does with messages of protocol revisions later than those of the gateway, if the upstream supports them. relay: it forwards them as they are, unless `tools`, `prompts`, `resources` or `extensions` restrict the upstream. reject: callers use an older revision.",
    { default: "relay" },
  ),
  clientInfo: optional(
    choice("gateway", "caller"),
    "The client info that the upstream receives with each request: the gateway's or the caller's.",
    { default: "gateway" },
  ),
  startTimeoutMs: optional(milliseconds(1), "How long the upstream may take until its first response, in ms.", {
    default: defaultUpstream.startTimeoutMs,
  }),
  timeoutMs: optional(milliseconds(1), "A request without a result or progress fails after this time, in ms.", {
    default: defaultUpstream.timeoutMs,
  }),
  era: optional(choice("modern", "legacy"), "The era to use. Default: detected.", { examples: ["legacy"] }),
  credentials: optional(credentials, "The gateway's credentials at a remote upstream. Never the token of the caller."),
  tasks: optional(
    choice("auto", "never"),
    "auto: the gateway turns long calls into tasks for callers that support them, if the upstream has no tasks.",
    { default: "never" },
  ),
  required: optional(flag, "Whether readiness requires this upstream.", { default: false }),
}).meta({ id: "UpstreamPolicy", description: "Settings of one upstream, regardless of its transport." });
