// Reads HTTP/1.1 responses from one keep-alive socket with minimal work: the load generator must be cheaper than the
// cheapest server.

export interface ResponseEvents {
  /** A response is complete. */
  end(status: number): void;
  /** Receives the status line and the headers. Optional. */
  head?: (head: string) => void;
  /** Receives a piece of the body, without the chunked framing. Optional. */
  body?: (piece: Buffer) => void;
}

const headEnd = Buffer.from("\r\n\r\n");
const lineFeed = 0x0a;

/** The returned function takes the socket's data. It throws unless this is HTTP/1.1 with a length or chunks. */
export function createResponseReader(events: ResponseEvents): (data: Buffer) => void {
  let state: "head" | "length" | "chunk-line" | "chunk" | "chunk-end" | "trailer" = "head";
  let kept: Buffer | undefined;
  let status = 0;
  let missing = 0;

  /** Takes up to `missing` bytes of body. Returns the position after them. */
  function takeBody(data: Buffer, at: number): number {
    const taken = Math.min(missing, data.length - at);
    if (taken > 0) events.body?.(data.subarray(at, at + taken));
    missing -= taken;
    return at + taken;
  }

  function finish(): void {
    state = "head";
    events.end(status);
  }

  function readHead(head: string): void {
    if (!/^HTTP\/1\.1 \d{3} /.test(head)) throw new Error(`no HTTP/1.1 response: ${head.slice(0, 40)}`);
    status = Number(head.slice(9, 12));
    events.head?.(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (length) {
      missing = Number(length[1]);
      if (missing > 0) state = "length";
      else finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      state = "chunk-line";
    } else if (status === 204 || status === 304) {
      finish();
    } else {
      throw new Error(`a response of status ${status} has neither length nor chunks`);
    }
  }

  /** Reads one line of the chunked framing, or keeps an incomplete one. Returns the position after it. */
  function readLine(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at);
    if (end < 0) {
      kept = data.subarray(at);
      return data.length;
    }
    const line = data.toString("latin1", at, end).trimEnd();
    if (state === "trailer") {
      if (line === "") finish();
    } else if (state === "chunk-end") {
      state = "chunk-line";
    } else {
      missing = Number.parseInt(line, 16);
      if (!(missing >= 0)) throw new Error(`no chunk size: ${line.slice(0, 40)}`);
      state = missing > 0 ? "chunk" : "trailer";
    }
    return end + 1;
  }

  return (received) => {
    const data = kept ? Buffer.concat([kept, received]) : received;
    kept = undefined;
    let at = 0;
    while (at < data.length) {
      if (state === "head") {
        const end = data.indexOf(headEnd, at);
        if (end < 0) {
          kept = data.subarray(at);
          return;
        }
        const start = at;
        at = end + headEnd.length;
        readHead(data.toString("latin1", start, end));
      } else if (state === "length" || state === "chunk") {
        at = takeBody(data, at);
        if (missing === 0) {
          if (state === "length") finish();
          else state = "chunk-end";
        }
      } else {
        at = readLine(data, at);
      }
    }
  };
}
