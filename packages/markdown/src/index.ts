export { markdownSource } from "./source/markdown-source.ts";
export type { MarkdownSource, MarkdownSourceOptions } from "./source/markdown-source.ts";
export type { HookDecision } from "./source/artifact-hooks.ts";
export type { EffectOptions } from "./effects/script-effects.ts";
export type {
  BundleArtifact,
  HookArtifact,
  ScriptLimits,
  ToolArtifact,
} from "./artifact/artifact.ts";
export type { LogLevel } from "./builtins/builtin.ts";
export type { Finding, Place } from "./text/finding.ts";
