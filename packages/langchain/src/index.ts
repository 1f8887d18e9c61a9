export { langchainTools } from "./langchain-tools.ts";
export type { LangchainToolsOptions } from "./langchain-tools.ts";
export type { ToolInterrupt, ToolResume } from "./durable-call.ts";
export type { AnsweredArtifact, ToolArtifact, WaitingArtifact } from "./call-record.ts";
export { langchainSource } from "./langchain-source.ts";
export type { LangchainSourceOptions } from "./langchain-source.ts";
export type { LangchainTool } from "./invoke-tool.ts";
