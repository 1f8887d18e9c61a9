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
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({
      path: path.replaceAll("\\", "/"),
      imports: findImports(readFileSync(join(folder, path), "utf8")),
    }));
}

/** The modules that a text imports; examples in comments do not count. */
function findImports(text: string): readonly string[] {
  const code = text.replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, "");
  return Array.from(code.matchAll(specifiers), ([, specifier]) => specifier as string);
}

/** The path that a relative import of a file means; `undefined` for a package. */
export function resolveTarget(
  { path }: Pick<SourceFile, "path">,
  specifier: string,
): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(posix.dirname(path), specifier));
}

/** The groups of files that import each other in a circle, types included, each with its paths in order. */
export function importCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const reached = new Map(files.map((file) => [file.path, reachedFrom(file, files)]));
  const circles = files.map(({ path }) =>
    files
      .map((other) => other.path)
      .filter(
        (other) => reached.get(path)?.has(other) === true && reached.get(other)?.has(path) === true,
      ),
  );
  const distinct = new Map(
    circles.filter(({ length }) => length > 1).map((each) => [each.join(), each]),
  );
  return [...distinct.values()];
}

/** The paths of all files that a file imports, and that these import. */
function reachedFrom(file: SourceFile, files: readonly SourceFile[]): ReadonlySet<string> {
  const byPath = new Map(files.map((each) => [each.path, each]));
  const reached = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const specifier of next.imports) {
      const path = resolveTarget(next, specifier);
      const target = path === undefined || reached.has(path) ? undefined : byPath.get(path);
      if (target === undefined) continue;
      reached.add(target.path);
      open.push(target);
    }
  }
  return reached;
}
