// What a caller answers, looked at before anything goes to the upstream: an answer that fits no question changes nothing, and
// its caller may bring another (E-29). Of what is in an answer only its upstream can judge.
import { answerUnder, type InputRequest, invalidParams, isInputResponseTo, type JsonObject } from "@lethe/protocol";

/** By key. Null is no answer: the question is asked again. Throws McpError -32602. */
export function readAnswers(
  questions: Iterable<readonly [key: string, question: InputRequest]>,
  responses: JsonObject,
): JsonObject {
  const answers: [string, unknown][] = [];
  for (const [key, { method }] of questions) {
    const response = answerUnder(key, responses);
    if (response === undefined) continue;
    if (!isInputResponseTo(method, response)) {
      throw invalidParams(`invalid params: inputResponses ${JSON.stringify(key)} is no answer to ${method}`);
    }
    answers.push([key, response]);
  }
  return Object.fromEntries(answers);
}
