// The recording of one transport: parsed bytes without judgement. Times are in milliseconds since the recording began.

export type Header = readonly [name: string, value: string];

/** One event of an event stream. Comments (keep-alives) are not recorded; their bytes are counted. */
export interface RecordedEvent {
  readonly at: number;
  readonly event: string;
  readonly id?: string;
  readonly retryMs?: number;
  readonly data: string;
}

export interface HttpRequestRecord {
  readonly verb: string;
  /** The path and query, as sent. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** Truncated to the recorder's `maxBodyBytes`. */
  body: string;
  headBytes: number;
  /** Bytes on the wire, including the framing of a chunked body. */
  bodyBytes: number;
}

export interface HttpResponseRecord {
  readonly status: number;
  readonly headers: readonly Header[];
  /** The arrival time of the status line. */
  readonly at: number;
  body: string;
  /** Present for an event stream, instead of the body. */
  events?: RecordedEvent[];
  headBytes: number;
  bodyBytes: number;
}

/** One HTTP request and its response. */
export interface HttpExchange {
  /** Starts at 1, in the order in which the requests began. */
  readonly number: number;
  /** The number of the TCP connection, starting at 1. */
  readonly connection: number;
  readonly startedAt: number;
  readonly request: HttpRequestRecord;
  response?: HttpResponseRecord;
  endedAt?: number;
  /** True if the connection ended before the response did. */
  isCut?: boolean;
}

/** One line on stdin or stdout of a process. */
export interface StdioLine {
  readonly number: number;
  readonly at: number;
  readonly sender: "client" | "server";
  /** Includes the line end. */
  readonly bytes: number;
  readonly text: string;
}

/** One step of a run: when it was tried and what the client got. */
export interface StepRecord {
  readonly name: string;
  readonly feature?: string;
  /** The tool that a survey called in this step. */
  readonly tool?: string;
  readonly startedAt: number;
  endedAt: number;
  /**
   * "skipped": the server offers nothing to try the feature with. "observed": the survey has no step of its own for this
   * feature; its tool calls show whether the feature works.
   */
  outcome: "done" | "failed" | "skipped" | "observed";
  /** The result, or the reason of the failure. For "observed": a reason why no call may have shown the feature. */
  detail: string;
}

/** The traffic of one run over one transport. Secrets are masked. */
export interface Recording {
  readonly version: 1;
  /** Unique within a comparison: "modern-http". */
  readonly id: string;
  readonly title: string;
  readonly transport: "http" | "stdio";
  /** The URL or the command line. */
  readonly endpoint: string;
  readonly era?: string;
  readonly revision?: string;
  /** Time 0, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The time at which the client had closed. */
  readonly endedAt: number;
  readonly exchanges: readonly HttpExchange[];
  readonly lines: readonly StdioLine[];
  readonly steps: readonly StepRecord[];
  /** Times to the first tool result in further runs of the same script, in ms. Absent after one run. */
  readonly repeatedFirstResultMs?: readonly number[];
  /** Notes for the reader, such as bytes that could not be parsed as HTTP/1.1. */
  readonly remarks: readonly string[];
}
