import {
  metrics,
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
} from "@opentelemetry/api";

/** Seconds; the conventions' advice for the duration of operations. */
const boundaries = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The metrics of calls. */
export class CallMetrics {
  #meter: Meter | undefined;
  #duration: Histogram | undefined;
  #rejected: Counter | undefined;

  constructor(meter: Meter | undefined) {
    this.#meter = meter;
  }

  /** Made when first needed: a host may set up its SDK after its executor. */
  get #own(): Meter {
    return (this.#meter ??= metrics.getMeter("@toolweave/core"));
  }

  /** @param seconds from the start of a call to its end, attempts and waits between them included. */
  ended(seconds: number, attributes: Attributes): void {
    this.#duration ??= this.#own.createHistogram("gen_ai.execute_tool.duration", {
      description: "The duration of a single tool execution.",
      unit: "s",
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.#duration.record(seconds, attributes);
  }

  /** A call has not started. Its name is not recorded: a model may have made it up. */
  rejected(code: string): void {
    this.#rejected ??= this.#own.createCounter("toolweave.tool.rejected", {
      description: "Calls that were refused before the tool ran.",
      unit: "{call}",
    });
    this.#rejected.add(1, { "error.type": code });
  }
}
