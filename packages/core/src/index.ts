/// <reference lib="esnext.disposable" preserve="true" />
export { isThenable } from "./spec/json.ts";
export type {
  Awaitable,
  JsonObject,
  JsonPrimitive,
  JsonSchema,
  JsonValue,
  Metadata,
} from "./spec/json.ts";
export { isContentBlock, text } from "./spec/content-block.ts";
export type {
  AudioBlock,
  ContentAnnotations,
  ContentBlock,
  ImageBlock,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from "./spec/content-block.ts";
export type {
  InjectedParameter,
  Provenance,
  RedactionRule,
  RetryPolicy,
  ToolAccess,
  ToolAnnotations,
  ToolSpec,
} from "./spec/tool-spec.ts";
export type { Caller } from "./spec/caller.ts";
export type { PermissionRequest } from "./spec/permission-request.ts";
export type { ToolCall } from "./spec/tool-call.ts";
export type {
  ArtifactRef,
  CompletedOutcome,
  FailedOutcome,
  InterruptedOutcome,
  ToolOutcome,
  ToolOutput,
  ToolResult,
} from "./spec/tool-result.ts";
export { suspend } from "./spec/interruption.ts";
export type {
  Answer,
  ApprovalRequest,
  ApproveAnswer,
  AuthRequest,
  InputAnswer,
  InputRequest,
  Interruption,
  InterruptionRequest,
  RejectAnswer,
  ResultAnswer,
  ResultRequest,
  Suspension,
  SuspensionRequest,
} from "./spec/interruption.ts";
export type {
  ArtifactWriter,
  PreflightContext,
  Tool,
  ToolAvailability,
  ToolContext,
  ToolProgress,
  ToolReturn,
  ToolScope,
  ValidationProblem,
} from "./spec/tool.ts";
export { lazyProperty } from "./spec/lazy.ts";
export { checkOptions } from "./check-options.ts";
export { errorCodes, ToolError } from "./tool-error.ts";
export type {
  ErrorAudience,
  ErrorDefaults,
  ToolErrorCode,
  ToolErrorOptions,
} from "./tool-error.ts";
export {
  cleanName,
  compareNames,
  isToolName,
  nearNames,
  prefixName,
  shortHash,
  snakeName,
  uniqueNames,
} from "./registry/names.ts";
export { globMatcher } from "./registry/glob.ts";
export type { SourceProblem, ToolSource } from "./registry/tool-source.ts";
export { toolsSource } from "./registry/tools-source.ts";
export { filter, hide, prefix, rename } from "./registry/combinators.ts";
export { Toolset } from "./registry/toolset.ts";
export type { RegisteredTool, ToolSelection } from "./registry/toolset.ts";
export { ToolRegistry } from "./registry/tool-registry.ts";
export type { RegistryInput } from "./registry/tool-registry.ts";
export type { RegistryProblem } from "./registry/collect-tools.ts";
export type { RegistryDiff } from "./registry/registry-diff.ts";
export { canonicalJson } from "./schema/canonical-json.ts";
export type { CompiledSchema, SchemaValidator } from "./schema/schema-validator.ts";
export { ajvValidator } from "./schema/ajv-validator.ts";
export type { PolicyInput, PolicyPreset } from "./policy/policy.ts";
export type { Grant, GrantProposal, GrantScope } from "./approvals/grant.ts";
export type { GrantStore } from "./approvals/grant-store.ts";
export type {
  ClaimResult,
  PendingCallRecord,
  PendingCallStatus,
  PendingCallStore,
} from "./approvals/pending-call-store.ts";
export type { AuditDecision, AuditRecord, AuditSink } from "./audit/audit-sink.ts";
export type { RateLimitStore, RateRequest, RateReservation } from "./limits/rate-limit-store.ts";
export type { Clock, ClockTimer } from "./executor/clock.ts";
export type { BeforeCallAnswer, Hook, HookedCall } from "./executor/hooks.ts";
export type { Approver, Ask, AskAnswer, OnAsk } from "./executor/on-ask.ts";
export { ToolExecutor } from "./executor/tool-executor.ts";
export type { ExecutorOptions } from "./executor/executor-options.ts";
export type { ResumeOptions } from "./executor/tool-executor.ts";
export { ToolRun } from "./executor/tool-run.ts";
export type { CallOptions, ExecuteAllOptions, RunOptions } from "./executor/tool-run.ts";
export type { RunLimits } from "./limits/run-limits.ts";
export type {
  EndFields,
  RegistryChangedEvent,
  ToolCallEvent,
  ToolEvent,
  ToolEventListener,
} from "./events/tool-event.ts";
export { defineTool } from "./define/define-tool.ts";
export type { ExecuteReturn, ToolDefinition } from "./define/define-tool.ts";
export type { AnySchema, ArgumentsOf, FromJsonSchema, OutputOf } from "./define/infer.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./define/standard-schema.ts";
