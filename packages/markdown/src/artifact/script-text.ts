import { readFences } from "../text/fences.ts";
import type { Fence } from "../text/fences.ts";
import type { Fields } from "./fields.ts";
import type { ScriptText } from "./artifact.ts";

/** The texts from which a script can be read. */
export interface ScriptSources {
  /** The markdown text whose fences `script: "#name"` names. */
  readonly body: string;
  readonly bodyLine: number;
  readonly file: string;
  /** The text of a file beside the markdown file, by its path relative to the markdown file's folder; undefined: there is none. */
  readonly readFile?: ((path: string) => string | undefined) | undefined;
}

/** A script, and the fence from which it comes. */
export interface FoundScript {
  readonly script?: ScriptText;
  readonly fence?: Fence;
}

const languages = ["starlark", "star"];

/** Reads `script` or `script_file`. */
export function readScript(fields: Fields, sources: ScriptSources): FoundScript {
  const hasFile = fields.has("script_file");
  if (fields.has("script") && hasFile)
    fields.reportKey("script_file", {
      code: "two_scripts",
      message: "script and script_file exclude each other",
      hint: "Remove one of the two.",
    });
  if (fields.has("script")) {
    const text = fields.string("script");
    const name = text === undefined ? undefined : /^#(\S+)$/.exec(text.trim())?.[1];
    if (name !== undefined) return findFence(fields, name, sources);
    const script = readCode(fields, "script");
    return script === undefined ? {} : { script };
  }
  if (fields.get("script") === null) fields.report("script", emptyScript);
  const script = hasFile ? readScriptFile(fields, sources) : undefined;
  return script === undefined ? {} : { script };
}

const emptyScript = {
  code: "script_empty",
  message: "the script is empty",
  hint: "Write `script: |`, and indent every line of the script below it.",
};

/** A program or an expression with its place. Only `|` keeps lines as they are, so that places in it are exact. */
export function readCode(fields: Fields, key: string): ScriptText | undefined {
  const text = fields.string(key);
  if (text === undefined) return undefined;
  if (text.trim() === "") {
    fields.report(key, emptyScript);
    return undefined;
  }
  const path = [...fields.path, key];
  const placed = fields.places.text(path);
  const place = fields.places.value(path);
  // A value that is no YAML has places of its own, below the name of the value.
  if (placed === undefined)
    return { text, place: { file: `${place.file}#/${path.join("/")}`, line: 1, column: 1 } };
  if (placed.style !== "literal" && (placed.isJoined || text.includes("\n"))) {
    const style =
      placed.style === "folded"
        ? "`>`"
        : placed.style === "quoted"
          ? "a text in quotes"
          : "a plain text";
    fields.report(key, {
      code: "script_style",
      message: `${fields.title(key)} must keep its lines, and ${style} does not`,
      hint: `write \`${key}: |\``,
    });
    return undefined;
  }
  return { text, place: placed.place };
}

function findFence(fields: Fields, name: string, sources: ScriptSources): FoundScript {
  const fences = readFences(sources.body, sources.bodyLine);
  const named = fences.filter((each) => each.name === name);
  const [fence] = named.filter((each) => languages.includes(each.language));
  if (fence === undefined) {
    fields.report("script", {
      code: "fence_not_found",
      message: `the body has no block \`\`\`starlark ${name}`,
      hint:
        named.length > 0
          ? "Give the block the language starlark."
          : `Start the block with \`\`\`starlark ${name}.`,
    });
    return {};
  }
  if (named.length > 1)
    fields.report("script", {
      code: "fence_twice",
      message: `the body has more than one block named ${name}`,
      hint: "Give each block a name of its own.",
    });
  const { line, column } = fence;
  return { script: { text: fence.text, place: { file: sources.file, line, column } }, fence };
}

function readScriptFile(fields: Fields, sources: ScriptSources): ScriptText | undefined {
  const path = fields.string("script_file");
  if (path === undefined) return undefined;
  const clean = toInnerPath(path);
  if (clean === undefined) {
    fields.report("script_file", {
      code: "script_file",
      message: `script_file must be a file inside the folder of the markdown file, not "${path}"`,
      hint: "Write a relative path without `..`, such as run_command.star.",
    });
    return undefined;
  }
  const text = sources.readFile?.(clean);
  if (text === undefined) {
    fields.report("script_file", {
      code: "script_file",
      message:
        sources.readFile === undefined
          ? "script_file needs a folder"
          : `the file ${clean} cannot be read`,
      ...(sources.readFile === undefined && { hint: "Write the script under `script: |`." }),
    });
    return undefined;
  }
  const folder = sources.file.includes("/")
    ? sources.file.slice(0, sources.file.lastIndexOf("/") + 1)
    : "";
  const code = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  return { text: code, place: { file: folder + clean, line: 1, column: 1 } };
}

/** A relative path without `.` and empty parts; undefined: it leads out of the folder. */
function toInnerPath(path: string): string | undefined {
  if (/^[/\\]|[\\:\0]/.test(path)) return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}
