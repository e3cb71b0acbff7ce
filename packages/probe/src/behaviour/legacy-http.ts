// Probes the legacy era over HTTP (step 2): whether `initialize` works, and over which transport.
import { isLegacyRevision, revisionNamed } from "@lethe/protocol/revisions";
import { type Exchange, sessionIdOf } from "../exchange/exchange.ts";
import type { HttpTransport } from "../exchange/http-transport.ts";
import { toInitialize, toLegacyRequest } from "../exchange/messages.ts";
import { openSse } from "../exchange/sse-transport.ts";
import { type HttpFindings, type LegacyFinding, legacyNotSpoken, legacyUnknown } from "./findings.ts";
import { readInitialized, toHandshakeProblem, toRemarks } from "./handshake.ts";
import { refusesLegacy } from "./modern-era.ts";
import { probeSse } from "./probe-sse.ts";
import { inShort, isOk, problemOf } from "./problem.ts";
import { decideOccupied } from "./session-contract.ts";
import { tryContract } from "./try-contract.ts";

export type LegacyHttp = Omit<HttpFindings, "modern">;

export interface LegacyDepth {
  isShallow: boolean;
  /** The server is modern, so a refused `initialize` means that it has no legacy era. */
  isModern: boolean;
}

export async function probeLegacyHttp(transport: HttpTransport, depth: LegacyDepth): Promise<LegacyHttp> {
  const first = await initialize(transport);
  if (isOk(first)) return await serve(transport, first, depth);
  if (refusesLegacy(first))
    return toFindings(refused("initialize was refused with modern revisions to choose from", first));
  if (problemOf(first)) return toFindings(legacyUnknown(toHandshakeProblem(first)));
  if (depth.isModern) return toFindings(refused(`initialize was refused: ${inShort(first)}`, first));
  if ([400, 404, 405].includes(first.status ?? 0)) {
    const sse = await openSse(transport, "GET for an event stream");
    if (sse) return await probeSse(sse, depth);
  }
  // A server that does not speak JSON-RPC has no sessions to test.
  const isHeard = first.answer.kind === "error" || first.status === 400;
  return (
    (isHeard && (await probeRefuser(transport, first, depth))) || toFindings(legacyUnknown(toHandshakeProblem(first)))
  );
}

/** Tests a server that refuses `initialize`: it may expect an id of the client, or its only session may be taken. */
async function probeRefuser(
  transport: HttpTransport,
  first: Exchange,
  depth: LegacyDepth,
): Promise<LegacyHttp | undefined> {
  const own = crypto.randomUUID();
  const again = await initialize(transport, own);
  if (isOk(again)) return await serve(transport, again, depth, own);
  if (depth.isShallow) return undefined;
  const list = (how: string, sessionId?: string) =>
    transport.send(`tools/list ${how}`, { message: toLegacyRequest("tools/list"), sessionId });
  const without = await list("without a session id");
  const foreign = await list("with a made-up session id", crypto.randomUUID());
  const occupied = decideOccupied(first, without, foreign);
  return occupied && { ...toFindings({ isSpoken: true, ...occupied }), transport: "streamable-http" };
}

const usedUp = "it accepts one session, which the probe used: restart the server if it refuses clients now";

async function serve(
  transport: HttpTransport,
  first: Exchange,
  depth: LegacyDepth,
  ownId?: string,
): Promise<LegacyHttp> {
  const initialized = readInitialized(first);
  if (!initialized) return toFindings(legacyUnknown(toHandshakeProblem(first)));
  const { protocolVersion } = initialized;
  const isNamed = !isLegacyRevision(protocolVersion) || revisionNamed(protocolVersion).traits.hasVersionHeader;
  const headers: Record<string, string> = isNamed ? { "mcp-protocol-version": protocolVersion } : {};
  const base = { transport: "streamable-http", remarks: toRemarks(initialized) } as const;
  if (depth.isShallow) return { ...base, legacy: { isSpoken: true, initialized, confidence: "low", reasons: [] } };
  const sessionId = sessionIdOf(first) ?? ownId;
  const { finding, session, listing } = await tryContract(transport, { first, initialized, sessionId, headers });
  const remarks = finding.contract === "single-tenant" ? [...base.remarks, usedUp] : base.remarks;
  return { ...base, remarks, legacy: { isSpoken: true, initialized, ...finding }, session, listing };
}

function initialize(transport: HttpTransport, sessionId?: string): Promise<Exchange> {
  const what = sessionId === undefined ? "initialize" : "initialize with a client-made session id";
  return transport.send(what, { message: toInitialize(), sessionId });
}

function toFindings(legacy: LegacyFinding): LegacyHttp {
  return { transport: undefined, legacy, remarks: [] };
}

function refused(text: string, { number }: Exchange): LegacyFinding {
  return legacyNotSpoken({ text, exchanges: [number] });
}
