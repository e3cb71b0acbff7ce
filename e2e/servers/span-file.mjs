// Loaded with --import: an OpenTelemetry SDK that writes each span as a line of the file SPAN_FILE.
import { appendFileSync } from "node:fs";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const parentId = span.parentSpanContext?.spanId;
      const { name, kind } = span;
      appendFileSync(process.env.SPAN_FILE, `${JSON.stringify({ name, kind, traceId, spanId, parentId })}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
  forceFlush: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
