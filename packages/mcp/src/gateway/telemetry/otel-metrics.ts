import {
  metrics,
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
  type UpDownCounter,
} from "@opentelemetry/api";
import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type { AnsweredRequest, ForwardedResult, GatewayMetrics } from "./gateway-metrics.ts";

/** Options of `gatewayMetrics`. */
export interface GatewayMetricsOptions {
  /** Default: the global provider's, looked up when the first measurement is taken. */
  readonly meter?: Meter;
}

/** Seconds; the boundaries that the conventions recommend for MCP. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Measures a gateway with OpenTelemetry, by the semantic conventions for MCP where they exist:
 *
 * - `mcp.server.operation.duration` (seconds): requests, by `mcp.method.name`; calls also by `gen_ai.tool.name`,
 *   `toolweave.tool.source` and, if they fail, `error.type` (`tool_error`, or the code of the protocol error, which is
 *   `rpc.response.status_code` too).
 * - `mcp.server.session.duration` (seconds): sessions up to 2025-11-25 that have ended.
 * - `toolweave.gateway.sessions`: sessions that are open.
 * - `toolweave.gateway.waiting_calls`: calls that wait for a further request of their client.
 * - `toolweave.gateway.forwarded_requests`: requests that were forwarded to another replica, by
 *   `toolweave.gateway.forward.result` (`forwarded`, `unreachable`, `interrupted`).
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const gateway = serveMcp(registry, executor, { metrics: gatewayMetrics() });
 * ```
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export function gatewayMetrics(options: GatewayMetricsOptions = {}): GatewayMetrics {
  checkOptions("gatewayMetrics", options, [
    "meter",
  ] satisfies readonly (keyof GatewayMetricsOptions)[]);
  const { meter } = options;
  if (meter !== undefined && typeof meter.createHistogram !== "function") {
    throw new ToolError(
      "invalid_configuration",
      "gatewayMetrics: meter is not a meter: use metrics.getMeter(…), or leave it out.",
    );
  }
  return new OtelMetrics(meter);
}

class OtelMetrics implements GatewayMetrics {
  readonly #meter: Meter | undefined;
  #instruments: Instruments | undefined;

  constructor(meter: Meter | undefined) {
    this.#meter = meter;
  }

  /** Created when first needed: a host may set up its SDK after its gateway. */
  get #all(): Instruments {
    return (this.#instruments ??= createInstruments(
      this.#meter ?? metrics.getMeter("@toolweave/mcp"),
    ));
  }

  answered({ method, durationMs, tool, source, errorCode, isError }: AnsweredRequest): void {
    const attributes: Attributes = { "mcp.method.name": method };
    if (tool !== undefined) {
      attributes["gen_ai.operation.name"] = "execute_tool";
      attributes["gen_ai.tool.name"] = tool;
    }
    if (source !== undefined) attributes["toolweave.tool.source"] = source;
    if (isError === true) attributes["error.type"] = "tool_error";
    if (errorCode !== undefined) {
      attributes["error.type"] = String(errorCode);
      attributes["rpc.response.status_code"] = String(errorCode);
    }
    this.#all.operations.record(durationMs / 1000, attributes);
  }

  waiting(change: 1 | -1): void {
    this.#all.waiting.add(change);
  }

  sessionStarted(): void {
    this.#all.sessions.add(1);
  }

  sessionEnded(durationMs: number): void {
    this.#all.sessions.add(-1);
    this.#all.sessionDurations.record(durationMs / 1000);
  }

  forwarded(result: ForwardedResult): void {
    this.#all.forwarded.add(1, { "toolweave.gateway.forward.result": result });
  }
}

interface Instruments {
  readonly operations: Histogram;
  readonly sessionDurations: Histogram;
  readonly sessions: UpDownCounter;
  readonly waiting: UpDownCounter;
  readonly forwarded: Counter;
}

function createInstruments(meter: Meter): Instruments {
  const seconds = { unit: "s", advice: { explicitBucketBoundaries: boundaries } };
  return {
    operations: meter.createHistogram("mcp.server.operation.duration", {
      description:
        "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.",
      ...seconds,
    }),
    sessionDurations: meter.createHistogram("mcp.server.session.duration", {
      description: "The duration of the MCP session as observed on the MCP server.",
      ...seconds,
    }),
    sessions: meter.createUpDownCounter("toolweave.gateway.sessions", {
      description: "Open sessions of the protocol up to 2025-11-25.",
      unit: "{session}",
    }),
    waiting: meter.createUpDownCounter("toolweave.gateway.waiting_calls", {
      description: "Calls that wait for a further request of their client.",
      unit: "{call}",
    }),
    forwarded: meter.createCounter("toolweave.gateway.forwarded_requests", {
      description: "Requests that were forwarded to another replica.",
      unit: "{request}",
    }),
  };
}
