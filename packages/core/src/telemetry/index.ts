export { openTelemetry } from "./call-spans.ts";
export type { OpenTelemetryOptions } from "./call-spans.ts";
export { measuredStore } from "./measured-store.ts";
export type { MeasuredStoreOptions } from "./measured-store.ts";
