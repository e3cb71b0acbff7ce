// "Any instance": what began at one address goes on at another. Only this shows it; one address alone cannot.
import type { Exchange } from "../exchange/exchange.ts";
import type { HttpLab } from "../exchange/http-lab.ts";
import { toLegacyRequest } from "../exchange/messages.ts";
import type { HttpFindings, InstanceFinding } from "./findings.ts";
import type { Reason } from "./modern-era.ts";
import { askModern, modernListOf } from "./probe-http.ts";
import { inShort, isOk, isRefusal } from "./problem.ts";

/** `home` has been probed and its session still lives; `replica` is asked as if it were the same server. */
export async function tryReplica(home: HttpLab, replica: HttpLab, findings: HttpFindings): Promise<InstanceFinding[]> {
  const found: InstanceFinding[] = [];
  const address = replica.url.href;
  if (findings.modern.isStateless)
    found.push({ address, ...(await alternate(home, replica, modernListOf(findings.modern))) });
  if (findings.session) found.push({ address, ...(await moveSession(home, replica, findings)) });
  return found;
}

type Tried = Omit<InstanceFinding, "address">;

async function alternate(home: HttpLab, replica: HttpLab, method: string): Promise<Tried> {
  const exchanges: Exchange[] = [];
  for (const lab of [replica, home, replica]) exchanges.push(await askModern(lab, method));
  const numbers = exchanges.map(({ number }) => number);
  const failed = exchanges.find((exchange) => !isOk(exchange));
  const text = failed
    ? `${failed.what} was not answered: ${inShort(failed)}`
    : "requests to both in turn were all answered";
  const isAnyInstance = failed ? (isRefusal(failed) ? false : null) : true;
  return { kind: "replica", era: "modern", method, isAnyInstance, reasons: [{ text, exchanges: numbers }] };
}

/** Initialized at home, called at the replica. A refusal counts only while the session still lives at home. */
async function moveSession(home: HttpLab, replica: HttpLab, { session }: HttpFindings): Promise<Tried> {
  const { sessionId, headers = {}, method = "ping" } = session ?? {};
  const ask = (lab: HttpLab, where: string) =>
    lab.send(`${method} ${where}`, { message: toLegacyRequest(method), sessionId, headers });
  const there = await ask(replica, "at the replica, initialized here");
  const tell = (isAnyInstance: boolean | null, ...reasons: Reason[]): Tried => ({
    ...{ kind: "replica", era: "legacy", method, isAnyInstance, reasons },
  });
  const what = sessionId === undefined ? "a request" : "the session's request";
  if (isOk(there)) return tell(true, { text: `${what} was answered at the replica`, exchanges: [there.number] });
  const refused: Reason = { text: `${what} was refused at the replica: ${inShort(there)}`, exchanges: [there.number] };
  const here = await ask(home, "here again");
  const still: Reason = {
    text: `here it was ${isOk(here) ? "answered" : `not: ${inShort(here)}`}`,
    exchanges: [here.number],
  };
  return tell(isOk(here) && isRefusal(there) ? false : null, refused, still);
}
