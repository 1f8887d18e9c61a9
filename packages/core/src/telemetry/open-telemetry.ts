import type { Meter, Tracer } from "@opentelemetry/api";
import { checkOptions } from "../contract/check-options.ts";
import type { Hook } from "../executor/call/hook.ts";
import { ToolError } from "../contract/tool-error.ts";
import { CallMetrics, CallSpans } from "./call-spans.ts";

/** Options for tracing tool calls. */
export interface OpenTelemetryOptions {
  /** Default: the global provider's, looked up when the first call is made. */
  readonly tracer?: Tracer;
  /** Default: the global provider's, looked up when the first call is made. */
  readonly meter?: Meter;
  /**
   * Spans carry arguments and results, as far as the executor's events do: its `eventPayloads` has to
   * be on, too. Default: false.
   */
  readonly payloads?: boolean;
}

const optionNames: readonly string[] = [
  "tracer",
  "meter",
  "payloads",
] satisfies readonly (keyof OpenTelemetryOptions)[];

/**
 * A hook that makes a span of every call that starts, and measures how long it takes, by the semantic conventions for
 * generative AI: `execute_tool {gen_ai.tool.name}`, kind `INTERNAL`, and `gen_ai.execute_tool.duration` in seconds. The
 * span is active while the tool and the middleware around it run, so that their own spans and those of nested calls are
 * its children. It ends with the call, once for all its attempts, of which each that is followed by another is an event
 * of it. A call that waits for a person ends its span, too; when it resumes in the same process, a new span links to
 * the earlier one. A call that never starts has none: `toolweave.tool.rejected` counts it. Of errors only the code is
 * recorded (`error.type`).
 *
 * @example
 * ```js
 * const executor = new ToolExecutor({ registry, hooks: [openTelemetry()] });
 * ```
 *
 * @throws ToolError `internal` for an invalid option.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/execute-tool.md
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Hook {
  checkOptions("openTelemetry", options, optionNames);
  const { tracer, meter, payloads = false } = options;
  if (tracer !== undefined && typeof tracer.startSpan !== "function") {
    throw new ToolError(
      "internal",
      "openTelemetry: tracer is none: use trace.getTracer(…), or leave it out.",
    );
  }
  if (meter !== undefined && typeof meter.createHistogram !== "function") {
    throw new ToolError(
      "internal",
      "openTelemetry: meter is none: use metrics.getMeter(…), or leave it out.",
    );
  }
  const spans = new CallSpans(tracer, new CallMetrics(meter), payloads === true);
  return {
    // Outermost: what other middleware does belongs to the call.
    priority: -Number.MAX_VALUE,
    around: (call, next) => spans.around(call, next),
    onEvent: (event) => spans.note(event),
  };
}
