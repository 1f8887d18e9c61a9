import { ToolError, type JsonObject } from "@toolweave/core";
import { checks, isObject, shortHash } from "@toolweave/core/adapter";
import { stringify } from "yaml";
import type { ToolArtifact } from "../artifact/artifact.ts";
import { skillLimits } from "./skill.ts";

/** A tool as a skill: its name, and the text of each file by its path in the folder of that name. */
export interface ExportedSkill {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Writes the tool of a markdown file as an Agent Skill, for clients that have no Toolweave: `SKILL.md` with its
 * description and parameters, the script as `scripts/run.star`, and the schema of its arguments as
 * `scripts/run.schema.json`. `skillsSource` makes the tool `NAME__run` of them.
 *
 * @throws ToolError `invalid_configuration` for a tool without a script: the skill would have nothing to follow.
 * @see https://agentskills.io/specification
 */
export function exportSkill(artifact: ToolArtifact): ExportedSkill {
  checks.object.check("exportSkill: artifact", artifact);
  const { script, inputSchema, description } = artifact;
  if (script === undefined) {
    throw new ToolError(
      "invalid_configuration",
      `${artifact.name} has no script: its code is in the host, and cannot be exported.`,
    );
  }
  const name = toSkillName(artifact.name);
  const schema = { ...inputSchema, description: shorten(description, skillLimits.description) };
  return {
    name,
    files: new Map([
      ["SKILL.md", toSkillFile(artifact, name)],
      ["scripts/run.star", withLineEnd(script.text)],
      ["scripts/run.schema.json", `${JSON.stringify(schema, null, 2)}\n`],
    ]),
  };
}

/** The name of a skill for that of a tool: lower-case words with hyphens between them. */
export function toSkillName(tool: string): string {
  const words = tool.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join("-");
  if (name === "") return `tool-${shortHash(tool)}`;
  if (name.length <= skillLimits.name) return name;
  const hash = shortHash(tool);
  return `${name.slice(0, skillLimits.name - hash.length - 1).replace(/-+$/, "")}-${hash}`;
}

function toSkillFile(artifact: ToolArtifact, name: string): string {
  const { title, description, docs, inputSchema, outputSchema, timeoutMs } = artifact;
  const frontMatter = {
    name,
    description: shorten(description.replace(/\s+/g, " ").trim(), skillLimits.description),
    compatibility:
      "The script is Starlark with the functions of Toolweave. Toolweave runs it as a tool; elsewhere, follow it with the tools of the client.",
    metadata: { "toolweave-tool": artifact.name },
  };
  const yaml = stringify(frontMatter, {
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
  });
  const parts = [
    `# ${(title ?? artifact.name).replace(/\s+/g, " ")}`,
    // The body begins with a heading of its own in files that are written for people.
    (docs ?? description).replace(/^# .*\n+/, "").trim(),
    "## Arguments",
    describeArguments(inputSchema),
    "## How to use it",
    [
      `- With the tool \`${name}__run\`: call it with these arguments.`,
      "- Without it: read `scripts/run.star`. It defines `run(args)`; do what it does with your own tools, and check the arguments first.",
      ...(timeoutMs === undefined || timeoutMs === 0
        ? []
        : [`- It is meant to end within ${timeoutMs} ms.`]),
    ].join("\n"),
    ...(outputSchema === undefined ? [] : ["## Result", codeBlock(outputSchema)]),
  ];
  return `---\n${yaml}---\n\n${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A table of the arguments, or the schema if they are no plain properties. */
function describeArguments(schema: JsonObject): string {
  const { properties = {}, required = [] } = schema;
  const isPlain = Object.keys(schema).every((key) =>
    ["type", "properties", "required", "additionalProperties", "description"].includes(key),
  );
  if (!isPlain || !isObject(properties)) return codeBlock(schema);
  const entries = Object.entries(properties);
  if (entries.length === 0) return "None.";
  const rows = entries.map(([name, property]) => {
    const { type = "any", description = "" } = isObject(property) ? property : {};
    const isRequired = Array.isArray(required) && required.includes(name);
    return `| ${toCell(name)} | ${toCell(type)} | ${isRequired ? "yes" : "no"} | ${toCell(description)} |`;
  });
  return ["| argument | type | required | meaning |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

function toCell(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text
    .replace(/\s+/g, " ")
    .replaceAll("|", String.raw`\|`)
    .trim();
}

/** A schema as a block of code, which nothing in it can end. */
function codeBlock(schema: JsonObject): string {
  return ["```json", JSON.stringify(schema, null, 2).replaceAll("```", "'''"), "```"].join("\n");
}

function shorten(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
