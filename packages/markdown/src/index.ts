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
export { readSkill } from "./skills/read-skill.ts";
export { readSkills, skillsSource } from "./skills/skills-source.ts";
export type { SkillsSource, SkillsSourceOptions } from "./skills/skills-source.ts";
export type { Skill, SkillFile, SkillReading } from "./skills/skill.ts";
export { skillsProvider } from "./skills/skill-resources.ts";
export type { SkillsProvider, SkillsProviderOptions } from "./skills/skill-resources.ts";
export { agentArtifacts, readAgent } from "./skills/read-agents.ts";
export type { AgentArtifact, AgentFormat, AgentReading } from "./skills/read-agents.ts";
export { toSkillAgentOptions, toSubAgentOptions } from "./skills/sub-agent-options.ts";
export type { AgentHost, AgentToolOptions, AgentToolReading } from "./skills/sub-agent-options.ts";
export { mapTools } from "./skills/map-tools.ts";
export type { MappedTools, ToolMapping } from "./skills/map-tools.ts";
export type { ToolReference } from "./skills/tool-references.ts";
export { exportSkill } from "./skills/export-skill.ts";
export type { ExportedSkill } from "./skills/export-skill.ts";
export { exportSkills } from "./skills/export-skills.ts";
export type { ExportReading } from "./skills/export-skills.ts";
export { describeScripts, scriptTool, scriptTools } from "./script-tool/script-tool.ts";
export type { ScriptToolOptions, SessionLimits } from "./script-tool/script-options.ts";
export type { FaultHint } from "./script-tool/script-fault.ts";
