export { runAgent, resumeAgent } from "./run-agent.ts";
export type { AgentRunOptions, RunAgentOptions } from "./run-agent.ts";
export type { AgentJournal } from "./agent-journal.ts";
export { subAgentTool } from "./sub-agent-tool.ts";
export type { SubAgentOptions } from "./sub-agent-tool.ts";
export type { NarrowingPolicy } from "./sub-agent-policy.ts";
export type { AgentOptions } from "./agent-options.ts";
export type { ModelSettings, Thinking } from "./agent-loop.ts";
export type { AgentAnswers, TurnOptions } from "./agent-limits.ts";
export type { AgentLimit, AgentLimits } from "./agent-limits.ts";
export type { AgentUsage, TokenCounts } from "./agent-limits.ts";
export type { AgentEvent } from "./agent-node.ts";
export type { AgentState, PendingToolCall } from "./agent-state.ts";
export type {
  AgentResult,
  CancelledAgent,
  CompletedAgent,
  FailedAgent,
  InterruptedAgent,
  StoppedAgent,
} from "./agent-state.ts";
export type {
  AgentMessage,
  AssistantPart,
  CustomPart,
  FilePart,
  ProviderOptions,
  ReasoningFilePart,
  ReasoningPart,
  TextPart,
  ToolApprovalResponsePart,
  ToolCallPart,
  ToolResultOutput,
  ToolResultPart,
} from "./message.ts";
