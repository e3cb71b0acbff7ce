// The decision procedure over HTTP, step by step: the modern era, the legacy era and its sessions.
import { type JsonObject, method, toMirroredHeaders } from "@lethe/protocol";
import type { Exchange } from "../exchange/exchange.ts";
import type { HttpLab } from "../exchange/http-lab.ts";
import { toModernRequest } from "../exchange/messages.ts";
import { BudgetSpent } from "../exchange/recorder.ts";
import { type HttpFindings, legacyUnknown } from "./findings.ts";
import { type LegacyHttp, probeLegacyHttp } from "./legacy-http.ts";
import { decideModern, decideModernService, listMethodOf, type ModernFinding, modernUnasked } from "./modern-era.ts";
import { endsProbe, isOk } from "./problem.ts";

export interface Depth {
  /** Only the handshakes: all that the cheap methods look at. */
  isShallow: boolean;
  /** False leaves everything out that begins a session. */
  asksLegacy: boolean;
  /** False leaves the modern era unknown. Default true. */
  asksModern?: boolean;
}

export async function probeHttp(lab: HttpLab, depth: Depth): Promise<HttpFindings> {
  if (depth.asksModern === false) {
    const legacy = await probeLegacyHttp(lab, { isModern: false, ...depth }).catch(toOverspent);
    return { ...legacy, modern: modernUnasked };
  }
  const discover = await askModern(lab, method.discover);
  const first = decideModern(discover);
  if (endsProbe(discover) && first.problem) {
    return { transport: undefined, modern: first, legacy: legacyUnknown(first.problem), remarks: [] };
  }
  const { modern, listing } = await probeModern(lab, first, depth);
  if (!depth.asksLegacy) {
    const transport = modern.isSpoken ? "streamable-http" : undefined;
    return { transport, modern, legacy: { isSpoken: undefined, confidence: "low", reasons: [] }, listing, remarks: [] };
  }
  const legacy = await probeLegacyHttp(lab, { isModern: modern.isSpoken === true, ...depth }).catch(toOverspent);
  const transport = legacy.transport ?? (modern.isSpoken ? "streamable-http" : undefined);
  // Where nobody was found who speaks at all, an error page says nothing of eras.
  const isPage = discover.answer.kind === "other" && legacy.legacy.isSpoken === undefined;
  const unknown =
    isPage && legacy.legacy.problem ? { ...modern, isSpoken: undefined, problem: legacy.legacy.problem } : modern;
  return { ...legacy, transport, modern: unknown, listing: listing ?? legacy.listing };
}

/** What the modern era showed stays true when the server leads us in circles afterwards. */
function toOverspent(error: unknown): LegacyHttp {
  if (!(error instanceof BudgetSpent)) throw error;
  const advice = "look at the evidence: the server gives out more sessions than a probe may end";
  const legacy = legacyUnknown({ reason: "budget", message: error.message, advice });
  return { transport: undefined, legacy, remarks: [] };
}

async function probeModern(
  lab: HttpLab,
  first: ModernFinding,
  { isShallow }: Depth,
): Promise<{ modern: ModernFinding; listing?: JsonObject }> {
  // A refusal that offers what it has just refused is asked once more (J-22).
  const isOddRefusal = first.isSpoken && !first.discovered && !first.problem;
  const modern = isOddRefusal ? decideModern(await askModern(lab, method.discover)) : first;
  if (!modern.discovered || modern.problem || isShallow) return { modern };
  const name = modernListOf(modern);
  const plain = await askModern(lab, name);
  const foreign = isOk(plain) ? await askModern(lab, name, crypto.randomUUID()) : undefined;
  const listing = plain.answer.kind === "result" && name !== method.discover ? plain.answer.result : undefined;
  return { modern: decideModernService(modern, { plain, foreign }), ...(listing && { listing }) };
}

/** The read-only request of the modern era: a list, when there is one. */
export function modernListOf({ discovered }: ModernFinding): string {
  return listMethodOf(discovered?.capabilities) ?? method.discover;
}

export function askModern(lab: HttpLab, name: string, sessionId?: string): Promise<Exchange> {
  const message = toModernRequest(name);
  const title = name === method.discover ? name : `modern ${name}`;
  const what = sessionId === undefined ? title : `${title} with a made-up session id`;
  return lab.send(what, { message, headers: toMirroredHeaders(message), sessionId });
}
