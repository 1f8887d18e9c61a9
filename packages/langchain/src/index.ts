export { langchainTools } from "./langchain-tools.ts";
export type { LangchainToolsOptions } from "./langchain-tools.ts";
export type { ToolInterrupt, ToolResume } from "./tool-interrupt.ts";
export type { AnsweredArtifact, ToolArtifact, WaitingArtifact } from "./tool-artifact.ts";
export { langchainSource } from "./langchain-source.ts";
export type { LangchainSourceOptions, LangchainTool } from "./langchain-source.ts";
