import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** The modules that one file imports, types included, as they are written. */
export interface SourceFile {
  /** Relative to the package's folder, with `/`. */
  readonly path: string;
  readonly imports: readonly string[];
}

/** `from "x"`, `import "x"`, `import("x")` and `export … from "x"`. */
const specifiers = /(?:^|[;}\s])(?:from|import)\s*\(?\s*"([^"\n]+)"/g;

/** The TypeScript files of a package that match `patterns`, with what they import. */
export function sourceFiles(folder: string, patterns: readonly string[]): readonly SourceFile[] {
  return globSync([...patterns], { cwd: folder, exclude: ["**/node_modules/**"] })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => ({
      path: path.replaceAll("\\", "/"),
      imports: importsOf(readFileSync(join(folder, path), "utf8")),
    }));
}

/** The modules that a text imports; examples in comments do not count. */
function importsOf(text: string): readonly string[] {
  const code = text.replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, "");
  return Array.from(code.matchAll(specifiers), ([, specifier]) => specifier as string);
}

/** The path that a relative import of a file means; `undefined` for a package. */
export function targetOf(
  { path }: Pick<SourceFile, "path">,
  specifier: string,
): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(posix.dirname(path), specifier));
}
