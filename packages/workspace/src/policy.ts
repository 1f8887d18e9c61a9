export { workspacePolicy } from "./policy/workspace-policy.ts";
export type { WorkspacePolicyOptions } from "./policy/workspace-policy.ts";
export type { CommandRule } from "./policy/command-rules.ts";
export { zeroClawPolicy } from "./policy/zeroclaw-policy.ts";
export type { ZeroClawSettings } from "./policy/zeroclaw-policy.ts";
export { analyzeCommand } from "./policy/analyze-command.ts";
export type { AnalyzedCommand, Risk, ScriptAnalysis } from "./policy/analysis.ts";
export type { PathUse, UnknownPart } from "./policy/script.ts";
