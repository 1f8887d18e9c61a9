import { context, type Context, type Span, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";
import { openTelemetry, type OpenTelemetryOptions } from "@toolweave/core/telemetry";

/** The data that the real SDK has collected. */
export class Collected {
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly tracers: TracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: this.#spans })],
  });
  readonly meters: MeterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: this.#metrics })],
  });

  hook(options: OpenTelemetryOptions = {}): ReturnType<typeof openTelemetry> {
    return openTelemetry({
      tracer: this.tracers.getTracer("test"),
      meter: this.meters.getMeter("test"),
      ...options,
    });
  }

  /** The ended spans, in the order of their ends. */
  async spans(): Promise<readonly ReadableSpan[]> {
    await this.tracers.forceFlush();
    return this.#spans.getFinishedSpans();
  }

  /** The measurements under a name: the attributes and the value of each series. */
  async points<Value = Histogram>(name: string): Promise<readonly DataPoint<Value>[]> {
    await this.meters.forceFlush();
    const metrics = this.#metrics
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics);
    const found = metrics?.find(({ descriptor }) => descriptor.name === name);
    return (found?.dataPoints ?? []) as unknown as readonly DataPoint<Value>[];
  }

  /** Runs code under a span of the host. */
  async under<T>(name: string, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.tracers.getTracer("host").startSpan(name);
    const within: Context = trace.setSpan(context.active(), span);
    try {
      return await context.with(within, () => work(span));
    } finally {
      span.end();
    }
  }
}

/** Contexts follow asynchronous code, as in a host that has set up its SDK. */
export function followContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
