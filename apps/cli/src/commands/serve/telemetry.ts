import type { Hook } from "@toolweave/core";
import type { GatewayMetrics } from "@toolweave/mcp/serve";
import type { Output } from "../../process/output.ts";
import type { ExecutorStores } from "../../store/command-store.ts";

type MeasuredStores = Pick<ExecutorStores, "pendingCalls" | "grants" | "tasks" | "artifacts">;

/** Traces and metrics of a gateway. */
export interface Telemetry {
  readonly hooks: readonly Hook[];
  readonly metrics: GatewayMetrics;
  /** Returns the same stores, whose operations are measured. */
  measured(stores: MeasuredStores): MeasuredStores;
  /** Sends what has not been sent yet. */
  close(): Promise<void>;
}

const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
] as const;
const exporters = ["OTEL_METRICS_EXPORTER", "OTEL_TRACES_EXPORTER"] as const;
/**
 * Starts the SDK of OpenTelemetry if one of its standard variables asks for an exporter.
 *
 * @returns `undefined`: no variable is set, or the SDK is not installed, which is reported.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<Telemetry | undefined> {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const hasEndpoint = endpoints.some(isSet);
  if (env["OTEL_SDK_DISABLED"] === "true" || !(hasEndpoint || exporters.some(isSet))) {
    return undefined;
  }
  let sdk: typeof import("@opentelemetry/sdk-node");
  try {
    sdk = await import("@opentelemetry/sdk-node");
  } catch {
    output.printMessage(
      "toolweave: There are no traces and metrics, because the SDK of OpenTelemetry is not installed: npm install @opentelemetry/api @opentelemetry/sdk-node",
    );
    return undefined;
  }
  // The SDK reads its variables from the process. Without an endpoint, it would send what was not asked for.
  const otherwise = hasEndpoint ? "otlp" : "none";
  for (const name of exporters) process.env[name] ||= otherwise;
  process.env["OTEL_LOGS_EXPORTER"] ||= "none";
  // By default, the arguments of the command are sent, too, which may be secret.
  process.env["OTEL_NODE_RESOURCE_DETECTORS"] ||= "env,host";
  const started = new sdk.NodeSDK(isSet("OTEL_SERVICE_NAME") ? {} : { serviceName: "toolweave" });
  started.start();
  const [{ openTelemetry, measuredStore }, { gatewayMetrics }] = await Promise.all([
    import("@toolweave/core/telemetry"),
    import("@toolweave/mcp/telemetry"),
  ]);
  return {
    hooks: [openTelemetry({ metricsByCaller: true })],
    metrics: gatewayMetrics(),
    measured: ({ pendingCalls, grants, tasks, artifacts }) => ({
      pendingCalls: measuredStore(pendingCalls, { name: "pendingCalls" }),
      grants: measuredStore(grants, { name: "grants" }),
      tasks: measuredStore(tasks, { name: "tasks" }),
      artifacts: measuredStore(artifacts, { name: "artifacts" }),
    }),
    close: () => started.shutdown().catch(() => {}),
  };
}
