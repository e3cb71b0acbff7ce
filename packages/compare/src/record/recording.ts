// What a recording holds: the bytes of one transport to reach a server, read apart but not judged. Times are in milliseconds.

export type Header = readonly [name: string, value: string];

/** One event of an event stream; a comment (keep-alive) has no place here, its bytes are counted. */
export interface RecordedEvent {
  readonly at: number;
  readonly event: string;
  readonly id?: string;
  readonly retryMs?: number;
  readonly data: string;
}

export interface HttpRequestRecord {
  readonly verb: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** Cut at `maxBodyBytes` of the recorder. */
  body: string;
  headBytes: number;
  /** As they crossed: with the framing of a chunked body. */
  bodyBytes: number;
}

export interface HttpResponseRecord {
  readonly status: number;
  readonly headers: readonly Header[];
  /** When the status line came. */
  readonly at: number;
  body: string;
  /** Present for an event stream, in place of the body. */
  events?: RecordedEvent[];
  headBytes: number;
  bodyBytes: number;
}

/** One request over HTTP and what answered it. */
export interface HttpExchange {
  /** From 1, in the order in which the requests began. */
  readonly number: number;
  /** From 1: which TCP connection it used. */
  readonly connection: number;
  readonly startedAt: number;
  readonly request: HttpRequestRecord;
  response?: HttpResponseRecord;
  endedAt?: number;
  /** True when the connection ended before the answer did. */
  isCut?: boolean;
}

/** One line on the pipes of a process. */
export interface StdioLine {
  readonly number: number;
  readonly at: number;
  readonly sender: "client" | "server";
  /** With the line end. */
  readonly bytes: number;
  readonly text: string;
}

/** What was tried at a time, and what the client got: the other half of the evidence. */
export interface StepRecord {
  readonly name: string;
  readonly feature?: string;
  /** The tool that a survey called. */
  readonly tool?: string;
  readonly startedAt: number;
  endedAt: number;
  /**
   * "skipped": the server offers nothing to try it with. "observed": nothing was done for this feature alone; the tool
   * calls of the survey show whether it works.
   */
  outcome: "done" | "failed" | "skipped" | "observed";
  /** What came back, or why nothing did. For "observed": why no call may have shown it. */
  detail: string;
}

export interface Recording {
  readonly version: 1;
  /** Unique in a comparison: "modern-http". */
  readonly id: string;
  readonly title: string;
  readonly transport: "http" | "stdio";
  /** The address or the command line. */
  readonly endpoint: string;
  readonly era?: string;
  readonly revision?: string;
  /** Milliseconds since 1970 of time 0. */
  readonly startedAt: number;
  /** When the client had closed. */
  readonly endedAt: number;
  readonly exchanges: readonly HttpExchange[];
  readonly lines: readonly StdioLine[];
  readonly steps: readonly StepRecord[];
  /** What could not be read as HTTP/1.1, and other things that a reader should know. */
  readonly remarks: readonly string[];
}
