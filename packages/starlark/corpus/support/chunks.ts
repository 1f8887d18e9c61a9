import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the language tests. */
export const suites: string = fileURLToPath(
  new URL("../../../../../shared/starlark/", import.meta.url),
);

/** A part of a test file that is a program of its own. Lines before it are empty, so that its line numbers are the file's. */
export interface Chunk {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** The errors that the program must cause, with their lines. */
  readonly expected: readonly { readonly line: number; readonly pattern: string }[];
  readonly options: ReadonlySet<string>;
}

/** The `.star` files of a folder, in order. */
export function starFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".star"))
    .sort()
    .map((name) => join(folder, name));
}

/** The chunks of a file of starlark-go: `---` separates them, `### "pattern"` expects an error in its line. */
export function readGoChunks(file: string): Chunk[] {
  return split(file).map(({ text, line }) => {
    const lines = text.split("\n");
    const expected = lines.flatMap((content, index) => {
      const quoted = /###\s*(["`].*)$/.exec(content)?.[1];
      if (quoted === undefined) return [];
      return [{ line: index + 1, pattern: unquote(quoted) }];
    });
    const options = new Set([...text.matchAll(/option:(\w+)/g)].map((match) => match[1] as string));
    return { file, line, text, expected, options };
  });
}

function unquote(quoted: string): string {
  if (quoted.startsWith("`")) return quoted.slice(1, quoted.indexOf("`", 1));
  return JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(quoted)?.[0] ?? quoted) as string;
}

/** The chunks of a file of bazelbuild/starlark: `### text` says that the chunk fails with a text like that. */
export function readBazelChunks(file: string): Chunk[] {
  return split(file).map(({ text, line }) => {
    const expected = text.split("\n").flatMap((content, index) => {
      const marker = /###\s*(?:\(?(go|java|rust)\)?:)?\s*(.*)$/.exec(content);
      if (marker === null || (marker[1] !== undefined && marker[1] !== "go")) return [];
      return [{ line: index + 1, pattern: (marker[2] ?? "").trim() }];
    });
    return { file, line, text, expected, options: new Set<string>() };
  });
}

function split(file: string): { readonly text: string; readonly line: number }[] {
  const chunks: { text: string; line: number }[] = [];
  let line = 1;
  for (const part of readFileSync(file, "utf8").split(/\n---\r?\n/)) {
    chunks.push({ text: "\n".repeat(line - 1) + part, line });
    line += part.split("\n").length + 1;
  }
  return chunks;
}

/** The text of every chunk of every suite. */
export function suiteTexts(): string[] {
  const folders = [
    "bazel/go",
    "bazel/java",
    "bazel/rust",
    "starlark-go",
    "starlark-go/resolve",
    "starlark-go/syntax",
  ];
  return folders
    .flatMap((folder) => starFiles(join(suites, folder)))
    .flatMap(readBazelChunks)
    .map(({ text }) => text.trimStart());
}
