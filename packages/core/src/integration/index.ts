export {
  contentParts,
  contentText,
  fileName,
  imageTypes,
  modelContent,
  type ContentFile,
  type TextPart,
  type ToFilePart,
} from "./content-parts.ts";
export { notApprovedText, waitingText } from "./content-parts.ts";
export { ToolFailure, toToolFailure } from "./content-parts.ts";
export { CallGate, toToolCall, type FrameworkCall } from "./call-gate.ts";
export {
  constantToolset,
  integrationError,
  isGrowing,
  maxListedTools,
  resolveTarget,
  searchOptions,
  type IntegrationTarget,
} from "./target.ts";
export { DefaultRuns } from "./call-gate.ts";
export { BoundedMap, perObject } from "./target.ts";
export { outcomeFromJson, outcomeJson } from "../executor/call/finished-outcome.ts";
