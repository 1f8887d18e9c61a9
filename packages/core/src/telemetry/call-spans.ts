import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  metrics,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
  type Counter,
  type Histogram,
  type Meter,
} from "@opentelemetry/api";
import type { ToolCallEvent, ToolEvent } from "../events/tool-event.ts";
import type { HookedCall, Hook } from "../executor/call/hook.ts";
import { checkOptions } from "../contract/check-options.ts";
import { ToolError } from "../contract/tool-error.ts";

type EventOf<Type extends ToolCallEvent["type"]> = Extract<ToolCallEvent, { type: Type }>;

/** The maximum number of pending calls that are remembered, for links. */
const maxWaiting = 1000;
const maxDescription = 1000;

/** A call that has started and not ended. */
interface OpenCall {
  readonly span: Span;
  /** With the span in it. */
  readonly context: Context;
  /** In the time of `performance.now()`. */
  readonly startedAt: number;
  /** The call within the span; set when its first attempt begins. */
  call: HookedCall | undefined;
  /** Its attempt has ended: an end event is matched to the first such call. */
  isDone: boolean;
}

/** The spans of an executor's calls, from its events. */
class CallSpans {
  #tracer: Tracer | undefined;
  readonly #metrics: CallMetrics;
  readonly #payloads: boolean;
  /** By run and call; several when two tools of a run give the same id, or two runs have one. */
  readonly #open = new Map<string, OpenCall[]>();
  /** Where calls that wait for a person have stopped, by interruption. */
  readonly #waiting = new Map<string, SpanContext>();
  /** The same of calls that resume and have not started, by run and call. */
  readonly #resumed = new Map<string, SpanContext>();

  constructor(tracer: Tracer | undefined, metrics: CallMetrics, payloads: boolean) {
    this.#tracer = tracer;
    this.#metrics = metrics;
    this.#payloads = payloads;
  }

  /** One attempt, with the call's span active. */
  async around(call: HookedCall, next: () => Promise<unknown>): Promise<unknown> {
    const open = this.#of(call);
    if (open === undefined) return next();
    if (open.call === undefined) {
      const description: unknown = call.spec.description;
      if (typeof description === "string") {
        open.span.setAttribute("gen_ai.tool.description", description.slice(0, maxDescription));
      }
    }
    open.call = call;
    open.isDone = false;
    try {
      return await context.with(open.context, next);
    } finally {
      open.isDone = true;
    }
  }

  note(event: ToolEvent): void {
    switch (event.type) {
      case "tool.started":
        return this.#start(event);
      case "tool.retried":
        return this.#retried(event);
      case "tool.completed":
        return this.#end(event, event.isError ? (event.code ?? "execution_failed") : undefined);
      case "tool.failed":
        return this.#end(event, event.code);
      case "tool.suspended":
        return this.#suspend(event);
      case "tool.interrupted":
        this.#resumed.delete(toKey(event));
        return this.#remember(event.interruptionId, trace.getActiveSpan());
      case "tool.resumed":
        return this.#resume(event);
      case "tool.rejected":
        return this.#reject(event);
    }
  }

  #start(event: EventOf<"tool.started">): void {
    const parent = this.#findParent(event);
    const span = this.#startSpan(`execute_tool ${event.tool}`, event, parent);
    if (this.#payloads && event.arguments !== undefined) {
      span.setAttribute("gen_ai.tool.call.arguments", jsonText(event.arguments));
    }
    const open: OpenCall = {
      span,
      context: trace.setSpan(parent, span),
      startedAt: performance.now(),
      call: undefined,
      isDone: false,
    };
    const key = toKey(event);
    const others = this.#open.get(key);
    if (others === undefined) this.#open.set(key, [open]);
    else others.push(open);
  }

  /** A refused call has a span without a duration. Names of spans are few: one that a model may have invented is none. */
  #reject(event: EventOf<"tool.rejected">): void {
    const { code, tool } = event;
    const isKnown = code !== "not_found" && code !== "not_advertised";
    const name = isKnown ? `execute_tool ${tool}` : "execute_tool";
    const span = this.#startSpan(name, event, this.#findParent(event));
    span.setAttribute("error.type", code);
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    this.#metrics.rejected(code, event);
  }

  /** Starts the span of a call, with a link to where it was suspended, if it was. */
  #startSpan(name: string, event: ToolCallEvent, parent: Context): Span {
    this.#tracer ??= trace.getTracer("@toolweave/core");
    const key = toKey(event);
    const from = this.#resumed.get(key);
    this.#resumed.delete(key);
    return this.#tracer.startSpan(
      name,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          ...common(event.tool),
          ...callerAttributes(event),
          "gen_ai.tool.call.id": event.callId,
        },
        ...(from === undefined ? {} : { links: [{ context: from }] }),
      },
      parent,
    );
  }

  /** Where the call was made; without a context manager what is known is the call that made it. */
  #findParent({ runId, parentCallId }: ToolCallEvent): Context {
    const active = context.active();
    if (parentCallId === undefined || trace.getSpan(active) !== undefined) return active;
    return this.#open.get(toKey({ runId, callId: parentCallId }))?.[0]?.context ?? active;
  }

  #retried(event: EventOf<"tool.retried">): void {
    const { attempt, code, delayMs } = event;
    const [open] = this.#open.get(toKey(event)) ?? [];
    open?.span.addEvent("toolweave.tool.retried", {
      "error.type": code,
      "toolweave.tool.attempt": attempt,
      "toolweave.tool.retry_delay": delayMs / 1000,
    });
  }

  #end(event: EventOf<"tool.completed"> | EventOf<"tool.failed">, code: string | undefined): void {
    const open = this.#close(event);
    if (open === undefined) return;
    const { span, startedAt } = open;
    const attributes: Attributes = common(event.tool);
    if (code !== undefined) {
      attributes["error.type"] = code;
      span.setAttribute("error.type", code);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    if (this.#payloads && event.type === "tool.completed") {
      const result = event.value ?? event.content;
      if (result !== undefined) span.setAttribute("gen_ai.tool.call.result", jsonText(result));
    }
    span.end();
    this.#metrics.ended((performance.now() - startedAt) / 1000, attributes, event);
  }

  #suspend(event: EventOf<"tool.suspended">): void {
    const open = this.#close(event);
    if (open === undefined) return;
    open.span.addEvent("toolweave.tool.suspended", {
      "toolweave.interruption.id": event.interruptionId,
    });
    open.span.end();
    this.#remember(event.interruptionId, open.span);
  }

  #remember(interruptionId: string, span: Span | undefined): void {
    if (span === undefined) return;
    this.#waiting.set(interruptionId, span.spanContext());
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > maxWaiting && oldest !== undefined) this.#waiting.delete(oldest);
  }

  #resume(event: EventOf<"tool.resumed">): void {
    const stopped = this.#waiting.get(event.interruptionId);
    if (stopped === undefined) return;
    this.#waiting.delete(event.interruptionId);
    this.#resumed.set(toKey(event), stopped);
  }

  /** The span that a call's attempt belongs to: its own, or one that is not assigned yet. */
  #of(call: HookedCall): OpenCall | undefined {
    const open = this.#open.get(toKey(call));
    return (
      open?.find((one) => one.call === call) ??
      open?.find((one) => one.call === undefined) ??
      open?.[0]
    );
  }

  #close(event: ToolCallEvent): OpenCall | undefined {
    const key = toKey(event);
    const open = this.#open.get(key);
    const ended = open?.find(({ isDone }) => isDone) ?? open?.[0];
    if (open === undefined || ended === undefined) return undefined;
    if (open.length === 1) this.#open.delete(key);
    else open.splice(open.indexOf(ended), 1);
    return ended;
  }
}

/** Events carry no more of an id than 1,000 bytes. */
function toKey({ runId, callId }: { readonly runId: string; readonly callId: string }): string {
  return `${runId}\n${callId.slice(0, 250)}`;
}

function common(tool: string): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.type": "function",
  };
}

/** For whom a call is made, by the conventions for users and agents. */
function callerAttributes({ caller }: ToolCallEvent): Attributes {
  if (caller === undefined) return {};
  const { id, agent } = caller;
  return { "enduser.id": id, ...(agent === undefined ? {} : { "gen_ai.agent.name": agent }) };
}

function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Seconds; the conventions' advice for the duration of operations. */
const boundaries = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The metrics of calls. */
class CallMetrics {
  readonly #byCaller: boolean;
  #meter: Meter | undefined;
  #duration: Histogram | undefined;
  #rejected: Counter | undefined;

  constructor(meter: Meter | undefined, byCaller: boolean) {
    this.#meter = meter;
    this.#byCaller = byCaller;
  }

  /** Made when first needed: a host may set up its SDK after its executor. */
  get #own(): Meter {
    return (this.#meter ??= metrics.getMeter("@toolweave/core"));
  }

  /** @param seconds from the start of a call to its end, attempts and waits between them included. */
  ended(seconds: number, attributes: Attributes, event: ToolCallEvent): void {
    this.#duration ??= this.#own.createHistogram("gen_ai.execute_tool.duration", {
      description: "The duration of a single tool execution.",
      unit: "s",
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.#duration.record(seconds, { ...attributes, ...this.#callerOf(event) });
  }

  /** A call has not started. Its name is not recorded: a model may have made it up. */
  rejected(code: string, event: ToolCallEvent): void {
    this.#rejected ??= this.#own.createCounter("toolweave.tool.rejected", {
      description: "Calls that were refused before the tool ran.",
      unit: "{call}",
    });
    this.#rejected.add(1, { "error.type": code, ...this.#callerOf(event) });
  }

  #callerOf(event: ToolCallEvent): Attributes {
    return this.#byCaller ? callerAttributes(event) : {};
  }
}

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
  /**
   * Metrics are counted for each caller: for a team, and not for a public service, since every caller makes series of its
   * own. Spans name the caller always. Default: false.
   */
  readonly metricsByCaller?: boolean;
}

const optionNames: readonly string[] = [
  "tracer",
  "meter",
  "payloads",
  "metricsByCaller",
] satisfies readonly (keyof OpenTelemetryOptions)[];

/**
 * A hook that makes a span of every call, and measures how long it takes, by the semantic conventions for
 * generative AI: `execute_tool {gen_ai.tool.name}`, kind `INTERNAL`, and `gen_ai.execute_tool.duration` in seconds. The
 * span is active while the tool and the middleware around it run, so that their own spans and those of nested calls are
 * its children. It ends with the call, once for all its attempts, of which each that is followed by another is an event
 * of it. A call that waits for a person ends its span, too; when it resumes in the same process, a new span links to
 * the earlier one. A refused call has a span without a duration, and `toolweave.tool.rejected` counts it. Of errors
 * only the code is recorded (`error.type`), and of the caller the id (`enduser.id`) and the agent (`gen_ai.agent.name`).
 *
 * @example
 * ```ts
 * const executor = new ToolExecutor({ registry, hooks: [openTelemetry()] });
 * ```
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/execute-tool.md
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Hook {
  checkOptions("openTelemetry", options, optionNames);
  const { tracer, meter, payloads = false, metricsByCaller = false } = options;
  if (tracer !== undefined && typeof tracer.startSpan !== "function") {
    throw new ToolError(
      "invalid_configuration",
      "openTelemetry: tracer is none: use trace.getTracer(…), or leave it out.",
    );
  }
  if (meter !== undefined && typeof meter.createHistogram !== "function") {
    throw new ToolError(
      "invalid_configuration",
      "openTelemetry: meter is none: use metrics.getMeter(…), or leave it out.",
    );
  }
  const spans = new CallSpans(
    tracer,
    new CallMetrics(meter, metricsByCaller === true),
    payloads === true,
  );
  return {
    // Outermost: what other middleware does belongs to the call.
    priority: -Number.MAX_VALUE,
    around: (call, next) => spans.around(call, next),
    onEvent: (event) => spans.note(event),
  };
}
