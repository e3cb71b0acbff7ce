// The part of @opentelemetry/api 1.9 that telemetry() uses, so that the types do not depend on that package.

export interface TelemetryContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TelemetryContext;
  deleteValue(key: symbol): TelemetryContext;
}

export type TelemetryAttributes = Record<string, string | number | boolean>;

export interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

export interface TelemetrySpan {
  spanContext(): SpanContext;
  setAttributes(attributes: TelemetryAttributes): unknown;
  addLink(link: { context: SpanContext }): unknown;
  setStatus(status: { code: 0 | 1 | 2; message?: string }): unknown;
  recordException(exception: Error): void;
  end(): void;
}

export interface SpanOptions {
  /** 1 for a server, 2 for a client. */
  kind: 1 | 2;
  attributes: TelemetryAttributes;
  links?: { context: SpanContext }[];
}

export interface MetricOptions {
  description: string;
  unit: string;
  advice?: { explicitBucketBoundaries: number[] };
}

export interface TelemetryApi {
  readonly context: {
    active(): TelemetryContext;
    with<T>(context: TelemetryContext, run: () => T): T;
  };
  readonly propagation: {
    extract<C>(
      context: TelemetryContext,
      carrier: C,
      getter: { keys(carrier: C): string[]; get(carrier: C, key: string): string | undefined },
    ): TelemetryContext;
    inject<C>(
      context: TelemetryContext,
      carrier: C,
      setter: { set(carrier: C, key: string, value: string): void },
    ): void;
  };
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: SpanOptions, context: TelemetryContext): TelemetrySpan;
    };
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
    getSpan(context: TelemetryContext): TelemetrySpan | undefined;
    getSpanContext(context: TelemetryContext): SpanContext | undefined;
  };
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(
        name: string,
        options: MetricOptions,
      ): { record(value: number, attributes: TelemetryAttributes): void };
      createUpDownCounter(
        name: string,
        options: MetricOptions,
      ): { add(value: number, attributes: TelemetryAttributes): void };
      createCounter(
        name: string,
        options: MetricOptions,
      ): { add(value: number, attributes: TelemetryAttributes): void };
      createGauge(
        name: string,
        options: MetricOptions,
      ): { record(value: number, attributes: TelemetryAttributes): void };
    };
  };
}
