import { readFileSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { readHookFile, readToolFile } from "@toolweave/markdown/authoring";
import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";

/** A program, and the place of its first character. */
interface Script {
  readonly text: string;
  readonly place: { readonly file: string; readonly line: number; readonly column: number };
}

/** The files that inputs load: those of the current folder and below. */
export function findFile(
  name: string,
): { readonly file: string; readonly text: string } | undefined {
  const path = resolve(name);
  const inside = relative(process.cwd(), path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`)) return undefined;
  try {
    return { file: inside.split(sep).join("/"), text: readFileSync(path, "utf8") };
  } catch {
    return undefined;
  }
}

/**
 * Reads the script of a markdown file, or a Starlark file.
 *
 * @throws UsageError for a file that cannot be read, or has no script.
 */
export function readScript(file: string): Script {
  if (file === "") throw new UsageError("Name a file: :load tool.md");
  const text = readTextFile(file);
  if (!file.endsWith(".md")) return { text, place: { file, line: 1, column: 1 } };
  const readFile = (name: string): string => readTextFile(resolve(dirname(file), name));
  const tool = readToolFile(file, text, { readFile });
  const read = "event" in tool.frontMatter.values ? readHookFile(file, text, { readFile }) : tool;
  const { artifact, findings } = read;
  if (artifact === undefined) {
    const [first] = findings;
    const place = first === undefined ? file : `${first.file}:${first.line}:${first.column}`;
    throw new UsageError(`${safeLine(`${place}: ${first?.message ?? "no tool"}`)}.`);
  }
  if (artifact.script === undefined)
    throw new UsageError(`${safeLine(basename(file))} has no script.`);
  return artifact.script;
}

function readTextFile(file: string): string {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new UsageError(`The file ${safeLine(file)} cannot be read (${code}).`, { cause: error });
  }
}
