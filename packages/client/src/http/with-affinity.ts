// Returns the affinity hint of a server with each further request, so that load balancers send all requests of a client to one replica.
import { affinityHeader, isAffinityHint } from "@lethe/protocol";
import type { HttpAnswer, HttpSend } from "./http-send.ts";

/** Remembers one hint, the last that the server at `url` sent. Other origins neither see it nor change it. */
export function withAffinity(send: HttpSend, { origin }: URL): HttpSend {
  let hint: string | undefined;

  function learn(answer: HttpAnswer): HttpAnswer {
    const given = answer.headers(affinityHeader);
    if (isAffinityHint(given)) hint = given;
    return answer;
  }

  return (request) => {
    if (request.url.origin !== origin) return send(request);
    if (hint === undefined) return send(request).then(learn);
    // A header that the user sets takes precedence.
    return send({ ...request, headers: { [affinityHeader]: hint, ...request.headers } }).then(learn);
  };
}
