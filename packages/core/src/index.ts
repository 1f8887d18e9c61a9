/// <reference lib="esnext.disposable" preserve="true" />
export { isThenable } from "./json/json.ts";
export type {
  Awaitable,
  JsonObject,
  JsonPrimitive,
  JsonSchema,
  JsonValue,
  Metadata,
} from "./json/json.ts";
export {
  parseExact,
  roundedIntegers,
  roundedWarning,
  stringifyExact,
} from "./contract/exact-json.ts";
export { isContentBlock, text } from "./contract/content-block.ts";
export type {
  AudioBlock,
  ContentAnnotations,
  ContentBlock,
  ImageBlock,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from "./contract/content-block.ts";
export type {
  InjectedParameter,
  Provenance,
  RedactionRule,
  OutputLimit,
  RetryPolicy,
  ToolAccess,
  ToolAnnotations,
  ToolSpec,
} from "./contract/tool-spec.ts";
export type { Caller } from "./contract/caller.ts";
export type { Cancellation, CancellationListener } from "./contract/cancellation.ts";
export { cancellationOf } from "./executor/context/tool-context.ts";
export { pauseDeadlineFor as whilePersonAnswers } from "./executor/context/tool-context.ts";
export type { PermissionRequest } from "./contract/policy-definition.ts";
export type { ToolCall } from "./contract/tool-call.ts";
export type {
  ArtifactRef,
  CompletedOutcome,
  FailedOutcome,
  InterruptedOutcome,
  ToolOutcome,
  ToolOutput,
  ToolResult,
} from "./contract/tool-result.ts";
export { suspend } from "./contract/interruption.ts";
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
} from "./contract/interruption.ts";
export type {
  ArtifactData,
  ArtifactWriter,
  NestedCallOptions,
  NestedResumeOptions,
  PreflightContext,
  StoredContent,
  Tool,
  ToolAvailability,
  ToolContext,
  ToolProgress,
  ToolReturn,
  ToolScope,
  ValidationProblem,
} from "./contract/tool.ts";
export { argumentsSchemaOf } from "./contract/tool.ts";
export { lazyProperty } from "./contract/lazy.ts";
export { displayJson, displayLine, displayProse, displayText } from "./contract/display-text.ts";
export { visibleText } from "./contract/visible-text.ts";
export { checkOptions } from "./contract/check-options.ts";
export { errorCodes, ToolError } from "./contract/tool-error.ts";
export type {
  ErrorAudience,
  ErrorDefaults,
  ToolErrorCode,
  ToolErrorOptions,
} from "./contract/tool-error.ts";
export {
  cleanName,
  compareNames,
  isToolName,
  nearNames,
  prefixName,
  shortenName,
  shortHash,
  snakeName,
  snakeWords,
  uniqueNames,
  type ShortenOptions,
} from "./contract/tool-names.ts";
export { globMatcher } from "./text/glob.ts";
export type { SourceProblem, ToolSource } from "./registry/tool-source.ts";
export { toolsSource } from "./registry/tool-source.ts";
export { loadedSource } from "./registry/loaded-source.ts";
export type { LoadedSource, LoadedSourceOptions, LoadedTools } from "./registry/loaded-source.ts";
export { filter, hide, prefix, rename } from "./registry/combinators.ts";
export { ToolsetSnapshot } from "./registry/toolset-snapshot.ts";
export type { RegisteredTool, Toolset, ToolSelection } from "./contract/tool.ts";
export type { RunSearch, ToolSearch } from "./built-in/tool-search-port.ts";
export { ToolRegistry } from "./registry/tool-registry.ts";
export type { RegistryInput } from "./registry/tool-registry.ts";
export type { RegistryProblem } from "./registry/collect-tools.ts";
export type { RegistryDiff } from "./registry/registry-diff.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export type { CompiledSchema, SchemaValidator } from "./schema/schema-validator.ts";
export { isCheckablePattern, type UncheckedPattern } from "./schema/unchecked-patterns.ts";
export { ajvValidator } from "./schema/ajv-validator.ts";
export type { Decision } from "./policy/decision.ts";
export type { ConfigurationWarning } from "./policy/rule-warnings.ts";
export type { PolicyExplanation } from "./policy/decide.ts";
export type {
  AnnotationCondition,
  CallerCondition,
  PermissionCondition,
  PolicyAnswer,
  PolicyDefinition,
  PolicyEffect,
  PolicyExample,
  PolicyFunction,
  PolicyGlobs,
  PolicyInput,
  PolicyLayerInput,
  PolicyPreset,
  PolicyQuestion,
  PolicyRule,
  ProvenanceCondition,
} from "./contract/policy-definition.ts";
export type { Grant, GrantChoice, GrantProposal, GrantScope } from "./contract/grant.ts";
export type { GrantStore } from "./approvals/grant-store.ts";
export { describeChange, memberChanges } from "./approvals/member-changes.ts";
export type { MemberChange } from "./approvals/member-changes.ts";
export { memoryGrants } from "./approvals/grant-store.ts";
export { memoryPendingCalls } from "./approvals/memory-pending-calls.ts";
export type { MemoryQuota } from "./limits/memory-quota.ts";
export { quotaOwner } from "./contract/owner.ts";
export type {
  ClaimResult,
  FinishedResult,
  PendingCallRecord,
  PendingCallStatus,
  PendingCallStore,
} from "./approvals/pending-call-store.ts";
export type {
  CertificateCredential,
  ClientCredential,
  Credential,
  CredentialKey,
  CredentialStore,
  PasswordCredential,
  SecretCredential,
  TokenCredential,
} from "./credentials/credential-store.ts";
export { memoryCredentials } from "./credentials/credential-store.ts";
export { itemStream } from "./results/stream-source.ts";
export type { ItemStream } from "./results/stream-source.ts";
export type { ArtifactStore, StoredArtifact } from "./artifacts/artifact-store.ts";
export { artifactKey } from "./artifacts/artifact-store.ts";
export type { LargeOutputs } from "./artifacts/large-outputs.ts";
export type { OverflowStrategy } from "./contract/tool-spec.ts";
export { memoryArtifacts } from "./artifacts/memory-artifacts.ts";
export type { MemoryArtifactsOptions } from "./artifacts/memory-artifacts.ts";
export type { TaskChange, TaskRecord, TaskStatus, TaskStore } from "./tasks/task-store.ts";
export { memoryTasks } from "./tasks/memory-tasks.ts";
export type {
  ExecutorTasks,
  TaskInfo,
  TaskOptions,
  TaskResultOptions,
} from "./tasks/executor-tasks.ts";
export { SecretSet } from "./redaction/secret-set.ts";
export type { Unregister } from "./redaction/secret-set.ts";
export type { RedactionOptions } from "./redaction/redactor-of.ts";
export type { AuditDecision, AuditRecord, AuditSink } from "./audit/audit-sink.ts";
export type { RateLimitStore, RateRequest, RateReservation } from "./limits/rate-limit-store.ts";
export { steadyClock } from "./time/clock.ts";
export type { Clock, ClockTimer } from "./time/clock.ts";
export type { BeforeCallAnswer, Hook, HookedCall, Middleware } from "./executor/call/hook.ts";
export type { Repair, RepairRequest } from "./executor/call/hook.ts";
export type {
  Approver,
  ApprovalQuestion,
  ApprovalDecision,
  ApprovalMode,
} from "./executor/call/approver.ts";
export type {
  ExplainedCall,
  ExplainedRequest,
  ExplainOptions,
  Explanation,
} from "./executor/explain.ts";
export { ToolExecutor } from "./executor/tool-executor.ts";
export type { ExecutorOptions } from "./executor/executor-options.ts";
export type { DrainOptions, ResumeOptions } from "./executor/tool-executor.ts";
export { ToolRun } from "./executor/tool-run.ts";
export type { RunOptions } from "./executor/batch/check-call-options.ts";
export type { CallOptions } from "./contract/call-options.ts";
export type { ExecuteAllOptions, FinishedCall, BatchProgress } from "./contract/call-options.ts";
export type { RunLimits } from "./limits/run-limits.ts";
export type { ExecutorLimits } from "./limits/executor-limits.ts";
export type { ConcurrencyLimits } from "./limits/concurrency.ts";
export type { RateLimit } from "./limits/rate-rules.ts";
export { memoryRateLimits } from "./limits/memory-rate-limits.ts";
export type {
  CompletedEventFields,
  EventsDroppedEvent,
  QueuedEvent,
  RegistryChangedEvent,
  ToolCallEvent,
  ToolEvent,
  ToolEventListener,
} from "./events/tool-event.ts";
export type { EventsOptions } from "./events/event-reader.ts";
export { defineTool } from "./define/define-tool.ts";
export type { ExecuteReturn, ToolDefinition } from "./define/define-tool.ts";
export type { AnySchema, ArgumentsOf, FromJsonSchema, OutputOf } from "./define/infer.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./define/standard-schema.ts";
