// A web stream of one-byte pieces, for tests of the memory that its reader retains.

export interface OneByteStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when the reader has read all bytes. The stream stays open until `close`. */
  readonly allTaken: Promise<void>;
  close(): void;
}

export function createOneByteStream(length: number): OneByteStream {
  let sent = 0;
  let onTaken = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const allTaken = new Promise<void>((resolve) => {
    onTaken = resolve;
  });
  const stream = new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
      },
      pull(made) {
        if (sent++ < length) made.enqueue(Uint8Array.of(0x61));
        else onTaken();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, allTaken, close: () => controller?.close() };
}
