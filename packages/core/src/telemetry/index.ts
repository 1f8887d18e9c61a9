export { openTelemetry } from "./call-spans.ts";
export type { OpenTelemetryOptions } from "./call-spans.ts";
