import { defineTool, text, ToolError, type Tool, type ToolReturn } from "@toolweave/core";
import { bytesToBase64, nearNames, prefixName } from "@toolweave/core/adapter";
import { decodeText, readFileBelow } from "./skill-folder.ts";
import { skillLimits, type Skill } from "./skill.ts";

/** The tools of skills read files, and change nothing. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  access: { filesystem: "read", process: false, network: false },
} as const;

/** The name of the tool that reads files of skills. */
export const fileTool = "read_skill_file";

/** The skills as they are when a tool is called: a tool whose description stays is used for later versions, too. */
export type CurrentSkills = () => readonly Skill[];

/** The tool of a skill, with its description: the result is its instructions. */
export function skillTool(
  { name, description }: Skill,
  current: CurrentSkills,
  source: string,
): Tool {
  const tool = defineTool({
    name: prefixName("skill", name),
    title: name,
    description,
    input: { type: "object", properties: {}, additionalProperties: false },
    annotations,
    metadata: { skill: name },
    execute: () => toInstructions(findSkill(current(), name)),
  });
  return withProvenance(tool, source, { skill: name });
}

/** Two tools in place of one for each skill: one lists them, the other one reads one. */
export function catalogTools(current: CurrentSkills, source: string): readonly Tool[] {
  const list = defineTool({
    name: "list_skills",
    description:
      "Lists the skills: instructions for kinds of tasks, each with what it is for. Read the one that fits with read_skill before you begin.",
    input: { type: "object", properties: {}, additionalProperties: false },
    annotations,
    execute: () => current().map(({ name, description }) => ({ name, description })),
  });
  const read = defineTool({
    name: "read_skill",
    description: "Reads the instructions of a skill, and the list of its files.",
    input: {
      type: "object",
      properties: { name: { type: "string", description: "As list_skills has it." } },
      required: ["name"],
      additionalProperties: false,
    },
    annotations,
    execute: ({ name }) => toInstructions(findSkill(current(), name)),
  });
  return [withProvenance(list, source), withProvenance(read, source)];
}

/** The tool that reads a file of a skill. */
export function skillFileTool(current: CurrentSkills, source: string): Tool {
  const tool = defineTool({
    name: fileTool,
    description:
      "Reads a file of a skill, as the instructions of the skill name it. Files that are no text are base64.",
    input: {
      type: "object",
      properties: {
        name: { type: "string", description: "The name of the skill." },
        path: {
          type: "string",
          description: "The path in the folder of the skill, such as references/guide.md.",
        },
      },
      required: ["name", "path"],
      additionalProperties: false,
    },
    annotations,
    execute: async ({ name, path }): Promise<ToolReturn> => {
      const skill = findSkill(current(), name);
      if (!skill.files.some((file) => file.path === path)) throw unknownFile(skill, path);
      const bytes = await readFileBelow(skill.folder, path, skillLimits.fileBytes);
      const decoded = decodeText(bytes);
      if (decoded !== undefined) return { content: [text(decoded)] };
      return { encoding: "base64", size: bytes.length, data: bytesToBase64(bytes) };
    },
  });
  return withProvenance(tool, source);
}

/** The instructions of a skill, and the list of its files: they are read on demand. */
function toInstructions({ name, body, files }: Skill): ToolReturn {
  const others = files.filter(({ path }) => path !== "SKILL.md");
  if (others.length === 0) return { content: [text(body)] };
  const lines = others.map(({ path, size }) => `- ${path} (${formatSize(size)})`);
  const list = `Files of the skill ${name}, to be read with ${fileTool} when they are needed:\n${lines.join("\n")}`;
  return { content: [text(body), text(list)] };
}

function formatSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} KiB`;
}

function findSkill(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((one) => one.name === name);
  if (skill !== undefined) return skill;
  const names = skills.map((one) => one.name);
  throw new ToolError(
    "invalid_arguments",
    `There is no skill ${JSON.stringify(name.slice(0, 80))}.${suggest(nearNames(name, names, 3))}`,
  );
}

function unknownFile({ name, files }: Skill, path: string): ToolError {
  const paths = files.map((file) => file.path);
  return new ToolError(
    "invalid_arguments",
    `The skill ${name} has no file ${JSON.stringify(path.slice(0, 200))}.${suggest(nearNames(path, paths, 3))}`,
  );
}

function suggest(near: readonly string[]): string {
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

function withProvenance(tool: Tool, source: string, origin?: { readonly skill: string }): Tool {
  const provenance = { adapter: "skill", source, ...(origin === undefined ? {} : { origin }) };
  return { ...tool, spec: { ...tool.spec, provenance } };
}
