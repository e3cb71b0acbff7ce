// Tests "any instance": whether a session of one address continues at another.
import type { Exchange } from "../exchange/exchange.ts";
import type { HttpTransport } from "../exchange/http-transport.ts";
import { toLegacyRequest } from "../exchange/messages.ts";
import type { HttpFindings, InstanceFinding } from "./findings.ts";
import type { Reason } from "./modern-era.ts";
import { askModern, modernListOf } from "./probe-http.ts";
import { inShort, isOk, isRefusal } from "./problem.ts";

/** Sends the same requests to `replica` while the session at `home` is still open. */
export async function tryReplica(
  home: HttpTransport,
  replica: HttpTransport,
  findings: HttpFindings,
): Promise<InstanceFinding[]> {
  const found: InstanceFinding[] = [];
  const address = replica.url.href;
  if (findings.modern.isStateless)
    found.push({ address, ...(await alternate(home, replica, modernListOf(findings.modern))) });
  if (findings.session) found.push({ address, ...(await moveSession(home, replica, findings)) });
  return found;
}

type Tried = Omit<InstanceFinding, "address">;

async function alternate(home: HttpTransport, replica: HttpTransport, method: string): Promise<Tried> {
  const exchanges: Exchange[] = [];
  for (const transport of [replica, home, replica]) exchanges.push(await askModern(transport, method));
  const numbers = exchanges.map(({ number }) => number);
  const failed = exchanges.find((exchange) => !isOk(exchange));
  const text = failed
    ? `${failed.what} was not answered: ${inShort(failed)}`
    : "alternating requests to both were all answered";
  const isAnyInstance = failed ? (isRefusal(failed) ? false : null) : true;
  return { kind: "replica", era: "modern", method, isAnyInstance, reasons: [{ text, exchanges: numbers }] };
}

/** Uses the session of `home` at the replica. A refusal counts only while the session is open at `home`. */
async function moveSession(home: HttpTransport, replica: HttpTransport, { session }: HttpFindings): Promise<Tried> {
  const { sessionId, headers = {}, method = "ping" } = session ?? {};
  const ask = (transport: HttpTransport, where: string) =>
    transport.send(`${method} ${where}`, { message: toLegacyRequest(method), sessionId, headers });
  const there = await ask(replica, "at the replica, in the session of the target");
  const tell = (isAnyInstance: boolean | null, ...reasons: Reason[]): Tried => ({
    ...{ kind: "replica", era: "legacy", method, isAnyInstance, reasons },
  });
  const what = sessionId === undefined ? "a request" : "the session's request";
  if (isOk(there)) return tell(true, { text: `${what} was answered at the replica`, exchanges: [there.number] });
  const refused: Reason = { text: `${what} was refused at the replica: ${inShort(there)}`, exchanges: [there.number] };
  const here = await ask(home, "at the target again");
  const still: Reason = {
    text: `the target ${isOk(here) ? "answered it" : `did not answer it: ${inShort(here)}`}`,
    exchanges: [here.number],
  };
  return tell(isOk(here) && isRefusal(there) ? false : null, refused, still);
}
