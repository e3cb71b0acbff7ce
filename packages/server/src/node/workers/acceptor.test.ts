import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { Acceptor } from "./acceptor.ts";

/** Emits "given" for each connection, which it never takes. */
class Standing extends EventEmitter {
  send(message: object): boolean {
    this.emit("given", message);
    return true;
  }
}

it("a connection that a worker has not taken goes to another one, also when the worker ends without a disconnect", async () => {
  const acceptor = new Acceptor();
  const [dead, alive] = [new Standing(), new Standing()];
  const at = { host: "127.0.0.1", port: 0 };
  acceptor.join(1, dead as unknown as ChildProcess);
  const listening = await acceptor.listen(1, at);
  if (!("port" in listening)) throw new Error(listening.problem);
  const given = once(dead, "given");
  const socket = connect(listening.port, at.host);
  await given;

  const givenAgain = once(alive, "given");
  acceptor.left(1);
  acceptor.join(2, alive as unknown as ChildProcess);
  await acceptor.listen(2, at);
  expect(await givenAgain).toMatchObject([{ lethe: "connection" }]);

  const closed = once(socket, "close");
  acceptor.close();
  acceptor.left(2);
  await closed;
});
