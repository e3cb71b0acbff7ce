// Loaded into a child process by its test: records the messages of its HTTP server, line by line,
// so that the test can validate them.
import { appendFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";

const file = `${process.env.LETHE_WIRE_RECORD}/${process.pid}.jsonl`;
const pieces = Symbol("pieces");
const number = Symbol("number");
let lastNumber = 0;

const { push } = IncomingMessage.prototype;
IncomingMessage.prototype.push = function (piece, encoding) {
  // Responses that the process receives have this class, too.
  if (piece && this.statusCode === null) {
    this[pieces] ??= [];
    this[pieces].push(Buffer.from(piece));
  }
  return push.call(this, piece, encoding);
};

for (const method of ["write", "end"]) {
  const original = ServerResponse.prototype[method];
  ServerResponse.prototype[method] = function (text, ...rest) {
    if (typeof text === "string" && text !== "") note(this, text);
    return original.call(this, text, ...rest);
  };
}

function note(response, text) {
  const { req: request } = response;
  const isFirst = response[number] === undefined;
  response[number] ??= ++lastNumber;
  const call = { number: response[number], type: response.getHeader("content-type") ?? typeOf(response), text };
  const heard = isFirst ? Buffer.concat(request[pieces] ?? []).toString() : undefined;
  const line = { ...call, ...(isFirst && { heard, revision: request.headers["mcp-protocol-version"] }) };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Headers that were given as a list are only in the head that was sent. */
function typeOf(response) {
  return /content-type: ([^\r]+)/i.exec(response._header ?? "")?.[1];
}
