// Contender: an undici pool and JSON without checks, the fastest published HTTP/1.1 client.
import { Pool } from "undici";
import { type Caller, type Target, textOf } from "./caller.ts";
import { greetHeaders, toGreetRequest } from "./greet-request.ts";

export async function connect(target: Target): Promise<Caller> {
  const { origin, pathname } = new URL(String(target));
  const pool = new Pool(origin, { connections: 32 });
  let id = 0;
  return {
    async call(name) {
      id += 1;
      const request = {
        path: pathname,
        method: "POST",
        headers: greetHeaders,
        body: toGreetRequest(id, name),
      } as const;
      const { body } = await pool.request(request);
      return textOf(((await body.json()) as { result: object }).result);
    },
    close: () => pool.close(),
  };
}
