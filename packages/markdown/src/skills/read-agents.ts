import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ToolError, type JsonObject } from "@toolweave/core";
import { checks, cleanName } from "@toolweave/core/adapter";
import { readFrontMatter, type FrontMatter } from "../text/front-matter.ts";
import type { Finding, Place } from "../text/finding.ts";
import { isError, sortFindings } from "../text/sort-findings.ts";
import { isKnownTool } from "./map-tools.ts";
import { FieldReader } from "./skill-fields.ts";
import { decodeText, readFileBelow } from "./skill-folder.ts";
import { skillLimits } from "./skill.ts";
import { readToolReferences, type ToolReference } from "./tool-references.ts";

/** The formats of files that describe agents. */
export type AgentFormat = "claude" | "copilot";

/** An agent that a markdown file describes: a role, and the tools that it needs. */
export interface AgentArtifact {
  readonly kind: "agent";
  readonly format: AgentFormat;
  /** A name that a tool can have. */
  readonly name: string;
  /** The name for people, if it is another one. */
  readonly title?: string;
  readonly place: Place;
  readonly description: string;
  /** The tools that it names; absent: all that its caller has. */
  readonly tools?: readonly ToolReference[];
  /** The tools that it must not have. */
  readonly disallowedTools: readonly ToolReference[];
  /** The models that it names, the first choice first; empty: that of its caller. */
  readonly models: readonly string[];
  /** The names of skills whose instructions it has from the beginning. */
  readonly skills: readonly string[];
  readonly maxTurns?: number;
  /** The text below the front matter: the system prompt. */
  readonly body: string;
  /** The front matter as it is written. */
  readonly frontMatter: JsonObject;
}

/** The agents of a project, and what is wrong with their files. */
export interface AgentReading {
  readonly agents: readonly AgentArtifact[];
  readonly findings: readonly Finding[];
}

const folders = [
  { folder: ".claude/agents", suffix: ".md", format: "claude", recursive: true },
  { folder: ".github/agents", suffix: ".agent.md", format: "copilot", recursive: false },
] as const;

const maxDescription = 4096;
/** Characters of a system prompt: the limit of Copilot. */
const maxBody = 30_000;

/** The keys of a format, and those of them that would give rights: these never have an effect. */
const formats: Readonly<
  Record<AgentFormat, { readonly keys: readonly string[]; readonly rights: readonly string[] }>
> = {
  // https://code.claude.com/docs/en/sub-agents#supported-frontmatter-fields
  claude: {
    keys: [
      ...["name", "description", "tools", "disallowedTools", "model", "maxTurns", "skills"],
      ...["memory", "background", "effort", "isolation", "color", "initialPrompt"],
    ],
    rights: ["permissionMode", "mcpServers", "hooks"],
  },
  // https://docs.github.com/en/copilot/reference/custom-agents-configuration
  copilot: {
    keys: [
      ...["name", "description", "tools", "model", "target", "metadata", "argument-hint"],
      ...["handoffs", "agents", "infer", "user-invocable", "disable-model-invocation"],
    ],
    rights: ["mcp-servers", "hooks"],
  },
};

/**
 * Reads the agents of a project: `*.md` in `.claude/agents` and the folders in it, and `.github/agents/*.agent.md`. A
 * file with an error is left out. Of two agents of one name the later one is an error that names both files. Never rejects because of a file.
 *
 * @param project the folder that has `.claude` and `.github`.
 */
export async function agentArtifacts(project: string): Promise<AgentReading> {
  checks.filledText.check("agentArtifacts: project", project);
  const agents = new Map<string, AgentArtifact>();
  const findings: Finding[] = [];
  const root = await realpath(project).catch(() => undefined);
  if (root === undefined) return { agents: [], findings };
  for (const { folder, suffix, format, recursive } of folders) {
    const names = await readdir(join(root, folder), { recursive }).catch(() => []);
    const files = names
      .filter((name) => name.endsWith(suffix) && !/(?:^|[\\/])\./.test(name))
      .sort();
    for (const name of files.slice(0, skillLimits.entries)) {
      const file = `${folder}/${name.replaceAll("\\", "/")}`;
      const { agent, findings: own } = await readAgentFile(root, file, format);
      findings.push(...own);
      if (agent === undefined) continue;
      const first = agents.get(agent.name);
      if (first === undefined) agents.set(agent.name, agent);
      else
        findings.push({
          ...agent.place,
          code: "duplicate_name",
          severity: "error",
          message: `the agent ${agent.name} has the name of ${first.place.file}`,
          hint: "Give one of them another name.",
        });
    }
    if (files.length > skillLimits.entries) {
      const message = `there are more than ${skillLimits.entries} agents: the others are left out`;
      const place = { file: folder, line: 1, column: 1 };
      findings.push({ ...place, code: "too_many", severity: "error", message });
    }
  }
  return { agents: [...agents.values()], findings };
}

async function readAgentFile(
  root: string,
  file: string,
  format: AgentFormat,
): Promise<{ readonly agent?: AgentArtifact; readonly findings: readonly Finding[] }> {
  const fail = (code: string, message: string): { readonly findings: readonly Finding[] } => ({
    findings: [{ file, line: 1, column: 1, code, severity: "error", message }],
  });
  let text: string | undefined;
  try {
    text = decodeText(await readFileBelow(root, file, skillLimits.fileBytes));
  } catch (error) {
    if (ToolError.is(error) && error.code === "permission_denied")
      return fail("link_outside", "the file is a link that leads out of the project");
    if (ToolError.is(error) && error.code === "limit_exceeded")
      return fail("file_too_large", `the file has more than ${skillLimits.fileBytes} bytes`);
    return fail("unreadable", "the file cannot be read");
  }
  if (text === undefined) return fail("not_text", "the file is no text in UTF-8");
  return readAgent(file, text, format);
}

/**
 * Reads the file of an agent.
 *
 * @param file the name of the file in findings.
 */
export function readAgent(
  file: string,
  text: string,
  format: AgentFormat,
): { readonly agent?: AgentArtifact; readonly findings: readonly Finding[] } {
  checks.filledText.check("readAgent: file", file);
  checks.anyText.check("readAgent: text", text);
  const front = readFrontMatter(file, text);
  const reader = new FieldReader(front);
  const { findings } = reader;
  if (!front.isReadable && Object.keys(front.values).length === 0) return { findings };
  const stem = (file.split("/").at(-1) ?? file).replace(/(?:\.agent)?\.md$/, "");
  const written = reader.text("name", {
    max: 100,
    isRequired: format === "claude",
    hint: `Write \`name: ${stem}\`.`,
  });
  if (format === "claude" && written !== undefined && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(written)) {
    reader.add(
      "warning",
      front.places.value(["name"]),
      "invalid_name",
      `the name ${JSON.stringify(written.slice(0, 80))} is invalid`,
      "Write lower-case letters and digits, with single hyphens between them.",
    );
  }
  const description = reader.text("description", {
    max: maxDescription,
    isRequired: true,
    hint: "Write when to delegate to the agent.",
  });
  if (description !== undefined) reader.scan("description", description);
  const toReferences = (key: string): readonly ToolReference[] | undefined =>
    readToolReferences(front, key, { isSpaced: false, max: skillLimits.allowedTools }, findings);
  const tools = toReferences("tools");
  const disallowedTools = (format === "claude" ? toReferences("disallowedTools") : undefined) ?? [];
  for (const reference of [...(tools ?? []), ...disallowedTools]) {
    if (isKnownTool(reference)) continue;
    const message = `${reference.text} is no known tool`;
    reader.add("warning", reference.place, "unknown_tool", message, "It gives nothing.");
  }
  const models = readModels(front, reader);
  const skills = format === "claude" ? reader.names("skills") : [];
  const maxTurns = format === "claude" ? reader.count("maxTurns") : undefined;
  const body = front.body.trim();
  checkBody(front, reader);
  reportRights(front, format, reader);
  const sorted = sortFindings(findings);
  if (description === undefined || sorted.some(isError)) return { findings: sorted };
  // The name of Copilot is for people; its file names the agent.
  const name = cleanName(format === "claude" ? (written as string) : stem);
  return {
    agent: {
      kind: "agent",
      format,
      name,
      ...(written === undefined || written === name ? {} : { title: written }),
      place: written === undefined ? { file, line: 1, column: 1 } : front.places.value(["name"]),
      description,
      ...(tools === undefined ? {} : { tools }),
      disallowedTools,
      models,
      skills,
      ...(maxTurns === undefined ? {} : { maxTurns }),
      body,
      frontMatter: front.values,
    },
    findings: sorted,
  };
}

/** The models: one, or a list of which the first that exists is used; `inherit` is that of the caller. */
function readModels(front: FrontMatter, reader: FieldReader): readonly string[] {
  const { model } = front.values;
  const list = reader.names("model");
  const names = typeof model === "string" ? [model.trim()] : list;
  return names.filter((name) => name !== "" && name !== "inherit");
}

function checkBody({ body, bodyLine, file }: FrontMatter, reader: FieldReader): void {
  const place = { file, line: bodyLine, column: 1 };
  if (body.trim() === "")
    reader.add(
      "error",
      place,
      "empty_body",
      "the agent has no system prompt",
      "Write its role and how it works below the front matter.",
    );
  if (body.length > maxBody)
    reader.add(
      "warning",
      place,
      "long_body",
      `the system prompt has more than ${maxBody} characters`,
      "Move details into a skill.",
    );
}

function reportRights(front: FrontMatter, format: AgentFormat, reader: FieldReader): void {
  const { keys, rights } = formats[format];
  reader.unknownKeys([...keys, ...rights], "an agent");
  for (const key of rights) {
    if (!Object.hasOwn(front.values, key)) continue;
    const message = `${key} has no effect: a file gives no rights, servers or programs`;
    const hint = "Configure it in the host.";
    reader.add("warning", front.places.key([key]), "ignored_key", message, hint);
  }
}
