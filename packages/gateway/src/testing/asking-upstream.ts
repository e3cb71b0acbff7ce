// An upstream of the old kind that asks in the middle of a call, as its connection shows it: the call waits under a token
// that works once, and goes on with the retry.
import {
  type Exchange,
  invalidParams,
  isElicitResult,
  type ModernRequest,
  parseInputParams,
  type Result,
} from "@lethe/protocol";
import { createFakeConnection, done, type FakeConnection } from "./fakes.ts";

export interface AskingUpstream {
  readonly connection: FakeConnection;
  /** What came, in order. */
  readonly received: ModernRequest[];
  /** Tools that were run. */
  readonly ran: string[];
  /** Calls that were cancelled while they ran. */
  readonly cancelled: string[];
}

export interface Questions {
  [tool: string]: readonly string[];
}

/** By tool, the messages of its questions, one after the other. */
export function createAskingUpstream(questions: Questions): AskingUpstream {
  const received: ModernRequest[] = [];
  const ran: string[] = [];
  const cancelled: string[] = [];
  const parked = new Map<string, { tool: string; left: string[]; answers: string[] }>();
  let lastToken = 0;

  async function dispatch(request: ModernRequest, exchange: Exchange): Promise<Result> {
    received.push(request);
    const { requestState, inputResponses } = parseInputParams(request.params);
    const name = String(request.params.name);
    if (requestState === undefined) {
      ran.push(name);
      return goOn({ tool: name, left: [...(questions[name] ?? [])], answers: [] });
    }
    const call = parked.get(requestState);
    if (!call) throw invalidParams("invalid or expired requestState");
    const answer = inputResponses?.q;
    if (answer !== undefined && !isElicitResult(answer)) throw invalidParams("inputResponses.q is no answer");
    parked.delete(requestState);
    if (answer !== undefined)
      return goOn({ ...call, left: call.left.slice(1), answers: [...call.answers, String(answer.content?.name)] });
    return new Promise((_, reject) => {
      exchange.signal.addEventListener("abort", () => {
        cancelled.push(call.tool);
        reject(new Error("cancelled"));
      });
    });
  }

  function goOn(call: { tool: string; left: string[]; answers: string[] }): Result {
    const [message] = call.left;
    if (message === undefined) {
      return call.answers.length === 0 ? done : { ...done, content: [{ type: "text", text: call.answers.join(" ") }] };
    }
    lastToken += 1;
    const requestState = `token ${lastToken}`;
    parked.set(requestState, call);
    const params = { message, requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
    return {
      resultType: "input_required",
      inputRequests: { q: { method: "elicitation/create", params } },
      requestState,
    };
  }

  return { connection: createFakeConnection({ dispatch }), received, ran, cancelled };
}
