// Probes HTTP+SSE (2024-11-05), where a session is an event stream. Opens one stream only, because some servers mix up the
// answers of two streams or end at the second.
import type { Exchange } from "../exchange/exchange.ts";
import { initialized as initializedNotification, toInitialize, toLegacyRequest } from "../exchange/messages.ts";
import type { SseTransport } from "../exchange/sse-transport.ts";
import { type HttpFindings, legacyUnknown } from "./findings.ts";
import { toForeignId } from "./foreign-id.ts";
import { readInitialized, toHandshakeProblem, toRemarks } from "./handshake.ts";
import { listMethodOf, type Reason } from "./modern-era.ts";
import { inShort, isOk, isRefusal } from "./problem.ts";

const transport = "http-sse";

/** The minimum wait in ms. Some servers never answer an unknown session, so the wait is that of four ordinary answers. */
const witnessMs = 250;

export async function probeSse(
  sse: SseTransport,
  { isShallow }: { isShallow: boolean },
): Promise<Omit<HttpFindings, "modern">> {
  try {
    const first = await sse.send("initialize on the stream", toInitialize());
    const initialized = readInitialized(first);
    if (!initialized) return { transport, legacy: legacyUnknown(toHandshakeProblem(first)), remarks: [] };
    const remarks = toRemarks(initialized);
    const begun = because("a session is the event stream on which it started", sse.opened, first);
    const base = { isSpoken: true, initialized, contract: "enforced", confidence: "high" } as const;
    if (isShallow) return { transport, legacy: { ...base, reasons: [begun] }, remarks };
    await sse.send("notifications/initialized", initializedNotification);
    const method = listMethodOf(initialized.capabilities) ?? "ping";
    const list = await sse.send(`${method} on the stream`, toLegacyRequest(method));
    const answered = isOk(list) ? [because(`${list.what} was answered`, list)] : [];
    const witness = await askForeign(sse, Math.max(witnessMs, 4 * list.ms));
    const listing = list.answer.kind === "result" && method !== "ping" ? list.answer.result : undefined;
    const legacy = { ...base, ...witness, reasons: [begun, ...answered, ...witness.reasons] };
    const shared = witness.contract
      ? ["all its clients share one stream, which may end when one client disconnects"]
      : [];
    return { transport, legacy, listing, remarks: [...remarks, ...shared] };
  } finally {
    sse.close();
  }
}

/** Posts to an unknown session. An answer on the open stream shows that all clients share the last stream. */
async function askForeign(
  sse: SseTransport,
  timeoutMs: number,
): Promise<{ contract?: "single-tenant"; reasons: readonly Reason[] }> {
  const url = toForeignEndpoint(sse.endpoint);
  if (!url) return { reasons: [] };
  const posted = await sse.send("ping to a made-up session", toLegacyRequest("ping"), { url, timeoutMs });
  const isTaken = posted.status !== undefined && posted.status < 300 && posted.answer.kind !== "none";
  if (isTaken) {
    return {
      contract: "single-tenant",
      reasons: [because("a request to a made-up session was answered on the open stream", posted)],
    };
  }
  return { reasons: isRefusal(posted) ? [because(`a made-up session was refused: ${inShort(posted)}`, posted)] : [] };
}

function because(text: string, ...exchanges: Exchange[]): Reason {
  return { text, exchanges: exchanges.map(({ number }) => number) };
}

/** The endpoint with another session id in its query. Undefined if the query has none. */
function toForeignEndpoint(endpoint: URL): URL | undefined {
  const foreign = new URL(endpoint);
  for (const [name, value] of endpoint.searchParams) {
    if (/session/i.test(name)) foreign.searchParams.set(name, toForeignId(value));
  }
  return foreign.href === endpoint.href ? undefined : foreign;
}
