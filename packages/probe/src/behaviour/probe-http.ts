// The decision procedure over HTTP: the modern era, then the legacy era and its sessions.
import { type JsonObject, method, toMirroredHeaders } from "@lethe/protocol";
import type { Exchange } from "../exchange/exchange.ts";
import type { HttpTransport } from "../exchange/http-transport.ts";
import { toModernRequest } from "../exchange/messages.ts";
import { BudgetSpent } from "../exchange/recorder.ts";
import { type HttpFindings, legacyUnknown } from "./findings.ts";
import { type LegacyHttp, probeLegacyHttp } from "./legacy-http.ts";
import { decideModern, decideModernService, listMethodOf, type ModernFinding, modernUnasked } from "./modern-era.ts";
import { endsProbe, isOk } from "./problem.ts";

export interface Depth {
  /** Only the handshakes, which is all that hints need. */
  isShallow: boolean;
  /** False omits requests that start a session. */
  asksLegacy: boolean;
  /** False skips the modern era, which stays unknown. Default true. */
  asksModern?: boolean;
}

export async function probeHttp(http: HttpTransport, depth: Depth): Promise<HttpFindings> {
  if (depth.asksModern === false) {
    const legacy = await probeLegacyHttp(http, { isModern: false, ...depth }).catch(toOverspent);
    return { ...legacy, modern: modernUnasked };
  }
  const discover = await askModern(http, method.discover);
  const first = decideModern(discover);
  if (endsProbe(discover) && first.problem) {
    return { transport: undefined, modern: first, legacy: legacyUnknown(first.problem), remarks: [] };
  }
  const { modern, listing } = await probeModern(http, first, depth);
  if (!depth.asksLegacy) {
    const transport = modern.isSpoken ? "streamable-http" : undefined;
    return { transport, modern, legacy: { isSpoken: undefined, confidence: "low", reasons: [] }, listing, remarks: [] };
  }
  const legacy = await probeLegacyHttp(http, { isModern: modern.isSpoken === true, ...depth }).catch(toOverspent);
  const transport = legacy.transport ?? (modern.isSpoken ? "streamable-http" : undefined);
  // If no era is known, an error page does not prove that the server is not modern.
  const isPage = discover.answer.kind === "other" && legacy.legacy.isSpoken === undefined;
  const unknown =
    isPage && legacy.legacy.problem ? { ...modern, isSpoken: undefined, problem: legacy.legacy.problem } : modern;
  return { ...legacy, transport, modern: unknown, listing: listing ?? legacy.listing };
}

/** Keeps the facts about the modern era if the request limit is reached afterwards. */
function toOverspent(error: unknown): LegacyHttp {
  if (!(error instanceof BudgetSpent)) throw error;
  const advice = "see the evidence: the server creates more sessions than the probe may end";
  const legacy = legacyUnknown({ reason: "budget", message: error.message, advice });
  return { transport: undefined, legacy, remarks: [] };
}

async function probeModern(
  transport: HttpTransport,
  first: ModernFinding,
  { isShallow }: Depth,
): Promise<{ modern: ModernFinding; listing?: JsonObject }> {
  // Repeats the request once if the refusal offers the revision that it refused (J-22).
  const isOddRefusal = first.isSpoken && !first.discovered && !first.problem;
  const modern = isOddRefusal ? decideModern(await askModern(transport, method.discover)) : first;
  if (!modern.discovered || modern.problem || isShallow) return { modern };
  const name = modernListOf(modern);
  const plain = await askModern(transport, name);
  const foreign = isOk(plain) ? await askModern(transport, name, crypto.randomUUID()) : undefined;
  const listing = plain.answer.kind === "result" && name !== method.discover ? plain.answer.result : undefined;
  return { modern: decideModernService(modern, { plain, foreign }), ...(listing && { listing }) };
}

/** The read-only request for the modern era: a list, if the server has one, otherwise `server/discover`. */
export function modernListOf({ discovered }: ModernFinding): string {
  return listMethodOf(discovered?.capabilities) ?? method.discover;
}

export function askModern(transport: HttpTransport, name: string, sessionId?: string): Promise<Exchange> {
  const message = toModernRequest(name);
  const title = name === method.discover ? name : `modern ${name}`;
  const what = sessionId === undefined ? title : `${title} with a made-up session id`;
  return transport.send(what, { message, headers: toMirroredHeaders(message), sessionId });
}
