/// <reference lib="esnext.disposable" preserve="true" />
// oxlint-disable-next-line import/no-unassigned-import -- it throws in an old Node.js
import "./node-version.ts";
export type { Awaitable, JsonObject, JsonSchema, JsonValue } from "./json/json.ts";
export { text } from "./contract/content-block.ts";
export type { ContentBlock } from "./contract/content-block.ts";
export type { RetryPolicy, ToolAnnotations, ToolSpec } from "./contract/tool-spec.ts";
export type { Caller } from "./contract/caller.ts";
export type { PermissionRequest } from "./contract/policy-definition.ts";
export type { ToolCall } from "./contract/tool-call.ts";
export type {
  ArtifactRef,
  CompletedOutcome,
  ErrorAnswerOutcome,
  FailedOutcome,
  InterruptedOutcome,
  SucceededOutcome,
  SucceededResult,
  ToolOutcome,
  ToolOutput,
  ToolResult,
} from "./contract/tool-result.ts";
export { assertCompleted } from "./contract/tool-result.ts";
export { suspend } from "./contract/interruption.ts";
export type {
  Answer,
  ApprovalRequest,
  InputRequest,
  Interruption,
  InterruptionRequest,
  Suspension,
} from "./contract/interruption.ts";
export type { Tool, ToolContext, ToolReturn } from "./contract/tool.ts";
export type { ToolInput, ToolTypes, ToolValue, TypedTool } from "./contract/tool-types.ts";
export { displayJson, displayLine, displayProse, displayText } from "./contract/display-text.ts";
export { errorCodes, ToolError } from "./contract/tool-error.ts";
export type { ErrorAudience, ToolErrorCode } from "./contract/tool-error.ts";
export type { ToolSource } from "./registry/tool-source.ts";
export { toolsSource } from "./registry/tool-source.ts";
export { filter, hide, prefix, rename } from "./registry/combinators.ts";
export type { Toolset, ToolSelection } from "./contract/tool.ts";
export { ToolRegistry } from "./registry/tool-registry.ts";
export type { RegistryInput, RegistryOptions } from "./registry/tool-registry.ts";
export type { RegisteredSource } from "./registry/registered-source.ts";
export type { RegistryProblem } from "./registry/collect-tools.ts";
export type { RegistryDiff } from "./registry/registry-diff.ts";
export { ajvValidator } from "./schema/ajv-validator.ts";
export type { Decision } from "./policy/decision.ts";
export type { ConfigurationWarning } from "./policy/rule-warnings.ts";
export type { PolicyExplanation } from "./policy/decision.ts";
export type { ArtifactAccess } from "./artifacts/artifacts.ts";
export type {
  PolicyAnswer,
  PolicyDefinition,
  PolicyEffect,
  PolicyFunction,
  PolicyInput,
  PolicyLayerInput,
  PolicyPreset,
  PolicyQuestion,
  PolicyRule,
  SourcePolicy,
} from "./contract/policy-definition.ts";
export type { Grant, GrantChoice, GrantProposal } from "./contract/grant.ts";
export { itemStream } from "./results/stream-source.ts";
export type { LargeOutputs } from "./artifacts/large-outputs.ts";
export type { ExecutorTasks, OwnedTask, TaskInfo, TaskOptions } from "./tasks/executor-tasks.ts";
export type { Clock, ClockTimer } from "./time/clock.ts";
export type { Hook, HookedCall, Middleware } from "./executor/call/hook.ts";
export type { Repair, RepairRequest } from "./executor/call/hook.ts";
export type {
  Approver,
  ApprovalQuestion,
  ApprovalDecision,
  ApprovalMode,
} from "./executor/call/approver.ts";
export type { ExplainedRequest, ExplainOptions, Explanation } from "./executor/explain.ts";
export { ToolExecutor, ToolRun } from "./executor/tool-executor.ts";
export type { ExecutorOptions } from "./executor/executor-options.ts";
export type { ResumeOptions } from "./executor/tool-executor.ts";
export type { InterruptionOrigin } from "./executor/resume/resume.ts";
export type { DurableRun } from "./executor/call/durable-run.ts";
export type { RunOptions } from "./executor/batch/check-call-options.ts";
export type { CallOptions } from "./contract/call-options.ts";
export type { ExecuteAllOptions, FinishedCall, BatchProgress } from "./contract/call-options.ts";
export type { RunLimits } from "./limits/run-limits.ts";
export type { ExecutorLimits } from "./limits/executor-limits.ts";
export type { ConcurrencyLimits } from "./limits/slots.ts";
export type { RateLimit } from "./limits/rate-rules.ts";
export type {
  EventsDroppedEvent,
  QueuedEvent,
  RegistryChangedEvent,
  ToolCallEvent,
  ToolEvent,
  ToolEventListener,
} from "./events/tool-event.ts";
export { defineTool } from "./define/define-tool.ts";
export type { ExecuteReturn, ToolDefinition } from "./define/define-tool.ts";
export type { ArgumentsOf, FromJsonSchema } from "./define/infer.ts";
