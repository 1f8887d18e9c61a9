export { consoleHandler } from "./console-handler.ts";
export type { ConsoleHandler } from "./console-handler.ts";
export type { ConsoleOptions, ConsoleStores } from "./console-options.ts";
export { listenConsole } from "./listen-console.ts";
export type { ConsoleListener, ListenConsoleOptions } from "./listen-console.ts";
export { readPageFiles } from "./page/read-page-files.ts";
export type { ConsoleFile } from "./page/page-files.ts";
export { ConsoleSessions } from "./authentication/console-sessions.ts";
export type { ConsoleSessionsOptions, Session } from "./authentication/console-sessions.ts";
export { bearerTokens } from "./authentication/bearer-tokens.ts";
export type { BearerToken } from "./authentication/bearer-tokens.ts";
export type {
  ConsoleAuthenticate,
  ConsoleCaller,
  ConsoleScope,
  ConsoleSession,
} from "./authentication/console-caller.ts";
export type { Approval } from "./approvals/approval.ts";
export type { ApprovalList } from "./approvals/list-approvals.ts";
export type { AnswerResult } from "./approvals/answer-approval.ts";
export type { GrantList, ListedGrant } from "./grants/grants.ts";
export type { AttachedStores, Status } from "./status/status.ts";
export type { ProblemRow, SourceRow } from "./status/source-rows.ts";
export type { ToolList, ToolRow } from "./tools/list-tools.ts";
export type { ToolDetails } from "./tools/tool-details.ts";
export type { ProviderFormat, ProviderView } from "./tools/provider-view.ts";
export type { SearchHit } from "./tools/search-hits.ts";
export type { CheckResult } from "./tools/check-call.ts";
export type { ExplanationView } from "./explanation/explanation-view.ts";
export type { CallStarted, CallState } from "./calls/started-calls.ts";
export type { BinaryView, OutcomeView } from "./calls/outcome-view.ts";
export type { EventView } from "./events/event-routes.ts";
export type { ProblemCode, ProblemDocument } from "./http/problem.ts";
export { approvalWebhook } from "./webhook/approval-webhook.ts";
export type { ApprovalWebhook, ApprovalWebhookOptions } from "./webhook/approval-webhook.ts";
export type { WebhookFailure } from "./webhook/delivery-queue.ts";
export { newWebhookSecret } from "./webhook/signature.ts";
export { verifyWebhook } from "./webhook/verify-webhook.ts";
export type { VerifiedWebhook, VerifyWebhookOptions } from "./webhook/verify-webhook.ts";
export type {
  ApprovalAnsweredMessage,
  ApprovalRequestedMessage,
  WebhookMessage,
  WebhookRequest,
} from "./webhook/webhook-message.ts";
export type { ConsoleRuns } from "./console-options.ts";
export type { ConsoleOwners } from "./authentication/visibility.ts";
export type { RunList } from "./runs/list-runs.ts";
export type { ConsoleRecording, RecordingReadOptions } from "./runs/recording.ts";
export type { RunDetails, RunRow, Span, SpanEvent, SpanKind, SpanState } from "./runs/span.ts";
export type { TaskDetails, TaskList, TaskRow } from "./tasks/tasks.ts";
export type { ArtifactMatches, ArtifactPage } from "./artifacts/read-artifact.ts";
export type {
  MemoryDetails,
  MemoryList,
  MemoryOwner,
  MemoryOwnerList,
  MemoryRow,
} from "./memory/memory.ts";
export type { PolicyLayerView, PolicyRuleView, PolicyView } from "./policy/policy-view.ts";
export type { TryResult } from "./policy/try-rule.ts";
export type { AuditList, AuditRow } from "./audit/audit-routes.ts";
export type {
  ConsoleLock,
  ConsoleLockDifference,
  LockDiff,
  MemberChangeText,
} from "./lock/lock-difference.ts";
export type { ToolLock } from "./lock/tool-locks.ts";
