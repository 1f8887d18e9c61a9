import type { JsonObject } from "@toolweave/core";
import type { Finding, Place } from "../text/finding.ts";
import type { ToolReference } from "./tool-references.ts";

/** A file of a skill. */
export interface SkillFile {
  /** Relative to the folder of the skill, with `/` between its parts. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * An Agent Skill: a folder with instructions for a model, and files that it reads when it needs them.
 *
 * @see https://agentskills.io/specification
 */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  /** Requirements of the environment. */
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The tools that the skill names; absent: it names none. They never allow anything. */
  readonly allowedTools?: readonly ToolReference[];
  /** The front matter as it is written. */
  readonly frontMatter: JsonObject;
  /** The instructions: the text below the front matter. */
  readonly body: string;
  /** The absolute path of the folder, without links. */
  readonly folder: string;
  /** The place of the name. */
  readonly place: Place;
  /** All files but hidden ones, `SKILL.md` included, in order of their paths. */
  readonly files: readonly SkillFile[];
}

/** The skill of a folder, and the findings. */
export interface SkillReading {
  /** Absent: one of the findings is an error. */
  readonly skill?: Skill;
  readonly findings: readonly Finding[];
}

type SkillLimit =
  | "name"
  | "description"
  | "compatibility"
  | "license"
  | "metadataKeys"
  | "metadataValue"
  | "allowedTools"
  | "files"
  | "totalBytes"
  | "fileBytes"
  | "depth"
  | "entries"
  | "bodyLines";

/** The bounds of skills. Counts and sizes of one skill are those that every host of MCP accepts (SEP-2640, Limits). */
export const skillLimits: Readonly<Record<SkillLimit, number>> = {
  name: 64,
  description: 1024,
  compatibility: 500,
  license: 500,
  /** Of one `metadata`: keys, and characters of a value. */
  metadataKeys: 100,
  metadataValue: 1024,
  allowedTools: 200,
  files: 512,
  totalBytes: 16 * 1024 * 1024,
  /** Of one file that is read by a model. */
  fileBytes: 256 * 1024,
  depth: 8,
  /** Skills, or agents, of one folder. */
  entries: 1_000,
  /** Of a body that is still called short. */
  bodyLines: 500,
};
