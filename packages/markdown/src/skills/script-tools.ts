import { ToolError, type JsonSchema, type Tool } from "@toolweave/core";
import { cleanName, isObject, prefixName, type SecretSet } from "@toolweave/core/adapter";
import type { ToolArtifact } from "../artifact/artifact.ts";
import { runCaches } from "../builtins/state.ts";
import { artifactTool, type ToolServices } from "../effects/artifact-tool.ts";
import { ScriptEffects, type EffectOptions } from "../effects/script-effects.ts";
import type { ScriptHost } from "../script/run-script.ts";
import type { Finding, Place } from "../text/finding.ts";
import { decodeText, readFileBelow } from "./skill-folder.ts";
import { skillLimits, type Skill } from "./skill.ts";

/** Makes tools of the scripts of one source, with what they share. */
export class ScriptRunner {
  readonly #services: ToolServices;
  readonly #effects: ScriptEffects;
  readonly #closing = new AbortController();

  constructor(source: string, options: EffectOptions & Pick<ScriptHost, "env" | "log">) {
    const { env, log, ...effects } = options;
    this.#effects = new ScriptEffects(effects);
    this.#services = {
      source,
      effects: this.#effects,
      limits: {},
      closing: this.#closing.signal,
      host: {
        cacheFor: runCaches(),
        ...(env === undefined ? {} : { env }),
        ...(log === undefined ? {} : { log }),
      },
    };
  }

  get secrets(): SecretSet {
    return this.#effects.secrets;
  }

  makeTool(artifact: ToolArtifact): Tool {
    return artifactTool(artifact, this.#services);
  }

  close(): Promise<void> {
    this.#closing.abort(new ToolError("unavailable", "The source was closed while the call ran."));
    return this.#effects.close();
  }
}

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
