// Records the steps of one request while administrators look: what the caller sent, what the upstream received, and what came back.
import type { Era } from "@lethe/protocol";

/** One step of a request, with secrets masked. */
export interface RecordedStep {
  /** ms since the request arrived. */
  readonly at: number;
  /** `caller`, `replica:ID` or `upstream:NAME`. */
  readonly from: string;
  readonly to: string;
  readonly kind: "request" | "response" | "error" | "forward" | "wait" | "input" | "answer";
  /** What happened, in a few words. */
  readonly label: string;
  readonly method?: string;
  readonly era?: Era;
  readonly revision?: string;
  readonly transport?: string;
  /** The first characters of the id of the upstream's session. */
  readonly session?: string;
  /** The HTTP headers of the message by lower-case name, without credentials. Absent for a message without HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The HTTP status of a response. */
  readonly status?: number;
  /** The message, where bodies are kept. */
  readonly body?: unknown;
}

/** A member that is undefined is absent from the recorded step. */
export type Step = Pick<RecordedStep, "from" | "to" | "kind" | "label"> & {
  [K in OptionalMember]?: RecordedStep[K] | undefined;
};
type OptionalMember = "method" | "era" | "revision" | "transport" | "session" | "headers" | "status";

export interface StepRecorderOptions {
  /** `replica:ID` of this replica. */
  readonly self: string;
  maskText(text: string): string;
  /** Masks a body and bounds its size. Returns undefined where bodies are not kept. */
  maskBody(body: unknown): unknown;
}

const maxSteps = 64;
const maxLabelLength = 256;
/** An estimate of the length of a step as JSON, without label and body, so that only bodies are measured. */
const stepLength = 600;

/** Only stores what it is given: it runs for each request while an administrator looks, and few requests are ever shown. */
export class StepRecorder {
  readonly #options: StepRecorderOptions;
  readonly #onStep: ((step: RecordedStep) => void) | undefined;
  readonly #startedAt: number = performance.now();
  readonly #kept: KeptStep[] = [];
  #omitted = 0;
  #length = 0;

  /** `onStep` receives each step of a request that another replica forwarded. */
  constructor(options: StepRecorderOptions, onStep?: (step: RecordedStep) => void) {
    this.#options = options;
    this.#onStep = onStep;
  }

  get self(): string {
    return this.#options.self;
  }

  get steps(): RecordedStep[] {
    return this.#kept.map((kept) => this.#toRecorded(kept));
  }

  /** How many steps came after the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  /** About the length of the steps as JSON. */
  get length(): number {
    return this.#length;
  }

  /** Keeps the step itself. Only its headers may change afterwards. A body is masked at once, because it may be large. */
  add(step: Step, body?: unknown): void {
    this.#keep(step, body === undefined ? undefined : this.#options.maskBody(body));
  }

  /** A step that another replica has recorded and masked. Its clock may be another one: the step counts when it arrives. */
  addRecorded({ at: _, body, ...step }: RecordedStep): void {
    this.#keep(step, body);
  }

  #keep(step: Step, body: unknown): void {
    if (this.#kept.length >= maxSteps) {
      this.#omitted += 1;
      return;
    }
    const kept = { at: performance.now(), step, body };
    this.#kept.push(kept);
    this.#length += stepLength + step.label.length;
    if (body !== undefined) this.#length += JSON.stringify(body).length;
    this.#onStep?.(this.#toRecorded(kept));
  }

  #toRecorded({ at, step, body }: KeptStep): RecordedStep {
    const { maskText } = this.#options;
    const label = maskText(step.label);
    const { headers, ...rest } = step;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return {
      ...(given as unknown as RecordedStep),
      at: Math.round((at - this.#startedAt) * 1_000) / 1_000,
      label: label.length > maxLabelLength ? `${label.slice(0, maxLabelLength)}…` : label,
      ...(headers && { headers: mapValues(headers, maskText) }),
      ...(body !== undefined && { body }),
    };
  }
}

function mapValues(
  headers: Readonly<Record<string, string>>,
  convert: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, convert(value)]));
}

interface KeptStep {
  readonly at: number;
  readonly step: Step;
  readonly body: unknown;
}

export function upstreamParty(name: string): string {
  return `upstream:${name}`;
}
