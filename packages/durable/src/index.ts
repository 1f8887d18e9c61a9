export { durableAgent } from "./agent/durable-agent.ts";
export type {
  DurableAgent,
  DurableAgentOptions,
  DurableAgentStatus,
} from "./agent/durable-agent.ts";
export type { AgentDefinition, AgentTask } from "./agent/agent-workflow.ts";
export type {
  DurableEngine,
  EngineWorkflow,
  WorkflowStatus,
  WorkflowSteps,
} from "./agent/durable-engine.ts";
