import type { JsonSchema, Tool } from "@toolweave/core";
import { cleanName, isObject, prefixName } from "@toolweave/core/adapter";
import type { ToolArtifact } from "../artifact/artifact.ts";
import type { Finding, Place } from "../text/finding.ts";
import { decodeText, readFileBelow } from "./skill-folder.ts";
import { skillLimits, type Skill } from "./skill.ts";

/** Makes a tool of a script: the host passes the runner of scripts. */
export type MakeScriptTool = (artifact: ToolArtifact) => Tool;

const maxDescription = 1024;

/**
 * The scripts of a skill that are tools: each `scripts/NAME.star` that defines `run(args)`. `scripts/NAME.schema.json`
 * beside it is the JSON Schema of its arguments; without one they are any object. All other scripts are files.
 */
export async function readScripts(
  skill: Skill,
): Promise<{ readonly artifacts: readonly ToolArtifact[]; readonly findings: readonly Finding[] }> {
  const artifacts: ToolArtifact[] = [];
  const findings: Finding[] = [];
  for (const { path } of skill.files) {
    const [, stem] = /^scripts\/([^/]+)\.star$/.exec(path) ?? [];
    if (stem === undefined) continue;
    const place = { file: `${skill.name}/${path}`, line: 1, column: 1 };
    const source = await readText(skill, path);
    if (source === undefined) {
      const message = "the script cannot be read as a text of at most 256 KiB";
      findings.push({ ...place, code: "not_text", severity: "warning", message });
      continue;
    }
    if (!/^def run\s*\(/m.test(source)) continue;
    const { schema, finding } = await readSchema(skill, `scripts/${stem}.schema.json`);
    if (finding !== undefined) findings.push(finding);
    artifacts.push(toArtifact(skill, stem, source, schema, place));
  }
  return { artifacts, findings };
}

function toArtifact(
  skill: Skill,
  stem: string,
  source: string,
  schema: JsonSchema | undefined,
  place: Place,
): ToolArtifact {
  const described = typeof schema?.["description"] === "string" ? schema["description"] : undefined;
  const description =
    described ?? findDocstring(source) ?? `Runs scripts/${stem}.star of the skill ${skill.name}.`;
  return {
    kind: "tool",
    name: prefixName(cleanName(skill.name), cleanName(stem)),
    place,
    description: [...description].slice(0, maxDescription).join(""),
    inputSchema: schema ?? { type: "object" },
    script: { text: source, place },
    isAsync: false,
    annotations: {},
    errorShape: "value",
    overrides: false,
    limits: {},
    access: {},
    dialect: {},
    metadata: { skill: skill.name },
  };
}

/** The text at the beginning of `run`, else of the file. */
function findDocstring(source: string): string | undefined {
  const text = `"""([^]*?)"""`;
  const ofRun = new RegExp(String.raw`^def run\s*\([^)]*\)\s*:\s*\n\s+${text}`, "m").exec(source);
  const ofFile = new RegExp(String.raw`^(?:\s*(?:#.*)?\n)*${text}`).exec(source);
  const found = (ofRun ?? ofFile)?.[1]?.replace(/\s+/g, " ").trim();
  return found === "" ? undefined : found;
}

async function readText(skill: Skill, path: string): Promise<string | undefined> {
  try {
    return decodeText(await readFileBelow(skill.folder, path, skillLimits.fileBytes));
  } catch {
    return undefined;
  }
}

async function readSchema(
  skill: Skill,
  path: string,
): Promise<{ readonly schema?: JsonSchema; readonly finding?: Finding }> {
  if (!skill.files.some((file) => file.path === path)) return {};
  const source = await readText(skill, path);
  try {
    const schema = JSON.parse(source ?? "") as JsonSchema;
    if (isObject(schema) && schema["type"] === "object") return { schema };
  } catch {
    // It is reported below.
  }
  return {
    finding: {
      file: `${skill.name}/${path}`,
      line: 1,
      column: 1,
      code: "invalid_schema",
      severity: "warning",
      message: "the file is no JSON Schema of an object: the arguments are any object",
      hint: 'Write { "type": "object", "properties": { … } }.',
    },
  };
}
