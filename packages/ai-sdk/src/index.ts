export { aiSdkEmbedder } from "./ai-sdk-embedder.ts";
export { aiTools, toAiToolOutput } from "./ai-tools.ts";
export type { AiToolOutput, AiTools, AiToolsOptions } from "./ai-tools.ts";
export { aiToolApproval } from "./ai-tool-approval.ts";
export type { AiApprovalQuestion, AiToolApprovalFunction } from "./ai-tool-approval.ts";
export { aiSource } from "./source/ai-source.ts";
export type { AiSourceOptions, AiToolsInput } from "./source/ai-source.ts";
export type { AiApprovalStatus, AiToolApproval } from "./source/resolve-approval.ts";
