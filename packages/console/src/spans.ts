export { SpanBuilder } from "./runs/span-builder.ts";
export type { SpanBuilderOptions } from "./runs/span-builder.ts";
export type {
  Period,
  RunDetails,
  RunRow,
  Span,
  SpanArtifact,
  SpanEvent,
  SpanKind,
  SpanState,
} from "./runs/span.ts";
