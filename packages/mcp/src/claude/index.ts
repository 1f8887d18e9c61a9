export { claudeTools } from "./claude-tools.ts";
export type { ClaudeTools, ClaudeToolsOptions } from "./claude-tools.ts";
