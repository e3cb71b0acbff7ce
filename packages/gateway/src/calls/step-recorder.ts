// Records the steps of one request while administrators look: what the caller sent, what the upstream received, and what came back.
import type { Era } from "@lethe/protocol";

/** One step of a request. Secrets are masked. */
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
  /** The message, where bodies are kept. */
  readonly body?: unknown;
}

export type Step = Omit<RecordedStep, "at" | "body">;

export interface StepRecorderOptions {
  /** The first characters of the id of this replica. */
  readonly replica: string;
  maskText(text: string): string;
  /** Masks a body and bounds its size. Undefined where bodies are not kept. */
  readonly maskBody: ((body: unknown) => unknown) | undefined;
  /** Receives each step of a request that another replica forwarded. Default: they stay here. */
  onStep?(step: RecordedStep): void;
}

const maxSteps = 64;
const maxLabelLength = 256;

export class StepRecorder {
  /** `replica:ID` of this replica. */
  readonly self: string;
  readonly steps: RecordedStep[] = [];
  readonly #options: StepRecorderOptions;
  readonly #startedAt: number = performance.now();
  #omitted = 0;

  constructor(options: StepRecorderOptions) {
    this.#options = options;
    this.self = `replica:${options.replica}`;
  }

  /** How many steps came after the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  add(step: Step, body?: unknown): void {
    const { maskBody, maskText } = this.#options;
    const label = maskText(step.label);
    this.addRecorded({
      ...step,
      label: label.length > maxLabelLength ? `${label.slice(0, maxLabelLength)}…` : label,
      ...(maskBody && body !== undefined && { body: maskBody(body) }),
    });
  }

  /** A step that another replica has recorded and masked. Its clock may be another one: the step counts when it arrives. */
  addRecorded({ at: _, ...step }: Omit<RecordedStep, "at"> & { at?: number }): void {
    if (this.steps.length >= maxSteps) {
      this.#omitted += 1;
      return;
    }
    const recorded = { at: Math.round((performance.now() - this.#startedAt) * 1_000) / 1_000, ...step };
    this.steps.push(recorded);
    this.#options.onStep?.(recorded);
  }
}

export function upstreamParty(name: string): string {
  return `upstream:${name}`;
}
