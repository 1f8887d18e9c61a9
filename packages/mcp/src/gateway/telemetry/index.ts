export { gatewayMetrics } from "./otel-metrics.ts";
export type { GatewayMetricsOptions } from "./otel-metrics.ts";
