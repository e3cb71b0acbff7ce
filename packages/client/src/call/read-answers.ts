// Checks the answers of a caller against the input requests (elicitation, sampling, roots) before anything reaches the server.
// A caller whose answer does not fit may send another one. Only the server can judge the content.
import { answerUnder, type InputRequests, invalidParams, isInputResponseTo, type JsonObject } from "@lethe/protocol";

/**
 * Returns the answers to `inputRequests` among `responses`, by key. Null is no answer: the server's request stays open. Throws McpError
 * -32602 for an answer that does not fit its input request.
 *
 * @example
 * import { readAnswers } from "@lethe/client/edge";
 *
 * const inputRequests = { folders: { method: "roots/list" as const } };
 * const responses = { folders: { roots: [] }, unknown: {} };
 * console.log(readAnswers(inputRequests, responses)); // { folders: { roots: [] } }
 */
export function readAnswers(inputRequests: InputRequests, responses: JsonObject): JsonObject {
  const answers: [string, unknown][] = [];
  for (const [key, { method }] of Object.entries(inputRequests)) {
    const response = answerUnder(key, responses);
    if (response === undefined) continue;
    if (!isInputResponseTo(method, response)) {
      throw invalidParams(`invalid params: inputResponses ${JSON.stringify(key)} is no answer to ${method}`);
    }
    answers.push([key, response]);
  }
  return Object.fromEntries(answers);
}
