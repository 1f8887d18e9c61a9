export { workspaceTools } from "./workspace-tools.ts";
export type { WorkspaceOptions } from "./open-workspace.ts";
export { protectedPaths, secretPaths } from "./jail/path-rules.ts";
export type { PathRules, WorkspaceRoot } from "./jail/path-rules.ts";
export { analyzeCommand, workspacePolicy, zeroClawPolicy } from "./policy.ts";
export type {
  AnalyzedCommand,
  CommandRule,
  PathUse,
  Risk,
  ScriptAnalysis,
  UnknownPart,
  WorkspacePolicyOptions,
  ZeroClawSettings,
} from "./policy.ts";
export type { NetworkRules } from "@toolweave/http";
export type { ProcessLimits } from "./processes/limits.ts";
export { examineSandboxes } from "./sandbox/choose-sandbox.ts";
export type { ProbeName } from "./sandbox/probe-script.ts";
export type { LevelReport, SandboxChoice, SandboxLevel } from "./sandbox/choose-sandbox.ts";
export type { PreparedCommand, Sandbox, SandboxedCommand } from "./sandbox/sandbox.ts";
