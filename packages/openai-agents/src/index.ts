export { agentTools } from "./agent-tools.ts";
export type { AgentTool, AgentToolsOptions } from "./agent-tools.ts";
export type { AgentRunOptions } from "./call-gate.ts";
export type { AgentToolOutput } from "./agent-tools.ts";
export { restoreWaitingCalls, waitingCalls } from "./waiting-calls.ts";
export type { WaitingCall } from "./waiting-calls.ts";
