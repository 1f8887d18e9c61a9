import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import { ToolError, type JsonObject } from "@toolweave/core";
import { checks, bytesToBase64 } from "@toolweave/core/adapter";
import { readFrontMatter } from "../text/front-matter.ts";
import { decodeText, readFileBelow } from "./skill-folder.ts";
import { toFolders, readSkills } from "./skills-source.ts";
import { skillLimits, type Skill } from "./skill.ts";

/**
 * Skills as a provider of `serveMcp` of `@toolweave/mcp`: the files are resources `skill://NAME/PATH`, and the methods
 * `skills/list` and `skills/get` have the front matter and the SHA-256 digest of every file. Read only.
 *
 * @see https://modelcontextprotocol.io/extensions/skills/overview
 */
export interface SkillsProvider {
  readonly id: string;
  readonly resources: {
    list(): Promise<readonly JsonObject[]>;
    templates(): readonly JsonObject[];
    read(params: JsonObject): Promise<JsonObject>;
  };
  readonly skills: {
    list(): Promise<readonly JsonObject[]>;
    get(uri: string): Promise<JsonObject | undefined>;
  };
  onChange(): () => void;
}

/** Options of `skillsProvider`. */
export interface SkillsProviderOptions {
  /** Names the provider in policies: `skills__read_resource` reads its files. Default: `skills`. */
  readonly id?: string;
}

const scheme = "skill://";

/**
 * Serves the skills of folders over MCP. Everything is read from the folders when it is asked for, so that digests are
 * those of the files as they are. A skill with an error, or beyond the limits of the extension, is not served.
 *
 * @example
 * ```ts
 * const gateway = serveMcp(registry, executor, { providers: [skillsProvider(".claude/skills")] });
 * ```
 */
export function skillsProvider(
  folders: string | readonly string[],
  { id = "skills" }: SkillsProviderOptions = {},
): SkillsProvider {
  toFolders("skillsProvider", folders);
  checks.filledText.check("skillsProvider: id", id);
  const served = async (only?: string): Promise<readonly Skill[]> =>
    (await readSkills(folders, only)).skills.filter(isServable);
  return {
    id,
    resources: {
      list: async () => (await served()).flatMap(toResources),
      templates: () => [],
      read: async ({ uri }) => {
        const text = String(uri);
        const { name, path } = readUri(text);
        const [skill] = await served(name);
        const file = skill?.files.find((one) => one.path === path);
        if (skill === undefined || file === undefined) throw notServed(text);
        const bytes = await readFileBelow(skill.folder, file.path, skillLimits.totalBytes);
        const decoded = decodeText(bytes);
        const content = decoded === undefined ? { blob: bytesToBase64(bytes) } : { text: decoded };
        return { contents: [{ uri: text, mimeType: toMediaType(path, bytes), ...content }] };
      },
    },
    skills: {
      list: async () => {
        const entries = (await served()).map(toEntry);
        return (await Promise.all(entries)).filter((entry) => entry !== undefined);
      },
      get: async (uri) => {
        const [, name] = /^skill:\/\/([^/]+)\/SKILL\.md$/.exec(uri) ?? [];
        if (name === undefined) return undefined;
        const [skill] = await served(name);
        return skill === undefined ? undefined : toEntry(skill);
      },
    },
    onChange: () => () => {},
  };
}

function isServable({ files }: Skill): boolean {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return files.length <= skillLimits.files && bytes <= skillLimits.totalBytes;
}

/** Only `SKILL.md` is listed: the entry of the skill has all files, which are readable by their URIs. */
function toResources({ name, description, files }: Skill): readonly JsonObject[] {
  const size = files.find(({ path }) => path === "SKILL.md")?.size;
  return [
    {
      uri: toUri(name, "SKILL.md"),
      name,
      description,
      mimeType: "text/markdown",
      ...(size === undefined ? {} : { size }),
    },
  ];
}

/** The entry of a skill; undefined: its files have changed while they were read. */
async function toEntry(skill: Skill): Promise<JsonObject | undefined> {
  const resources: JsonObject[] = [];
  let frontmatter: JsonObject = {};
  try {
    for (const { path } of skill.files) {
      const bytes = await readFileBelow(skill.folder, path, skillLimits.totalBytes);
      const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      resources.push({ uri: toUri(skill.name, path), digest, size: bytes.length });
      // The front matter of the bytes whose digest is given.
      if (path === "SKILL.md") frontmatter = readFrontMatter(path, decodeText(bytes) ?? "").values;
    }
  } catch {
    return undefined;
  }
  if (frontmatter["name"] !== skill.name) return undefined;
  return { uri: toUri(skill.name, "SKILL.md"), frontmatter, resources };
}

function toUri(name: string, path: string): string {
  return `${scheme}${name}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function readUri(uri: string): { readonly name: string; readonly path: string } {
  const [, name, encoded] = /^skill:\/\/([^/]+)\/([^?#]+)$/.exec(uri) ?? [];
  if (name === undefined || encoded === undefined) throw notServed(uri);
  try {
    return { name, path: encoded.split("/").map(decodeURIComponent).join("/") };
  } catch {
    throw notServed(uri);
  }
}

function notServed(uri: string): ToolError {
  return new ToolError("not_found", `No file of a skill is served at ${uri.slice(0, 300)}.`);
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".csv": "text/csv",
  ".html": "text/html",
  ".css": "text/css",
  ".json": "application/json",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".toml": "application/toml",
  ".xml": "application/xml",
  ".js": "text/javascript",
  ".py": "text/x-python",
  ".sh": "application/x-sh",
  ".star": "text/x-starlark",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
};

function toMediaType(path: string, bytes: Uint8Array): string {
  const known = mediaTypes[extname(basename(path)).toLowerCase()];
  return known ?? (decodeText(bytes) === undefined ? "application/octet-stream" : "text/plain");
}
