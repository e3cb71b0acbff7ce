// A client of the driver whose connection can be cut at once. Its `end` waits for the server, which may have vanished.
import { Socket } from "node:net";
import pg from "pg";

export class DestroyableClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
