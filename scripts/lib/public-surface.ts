import { writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API, SymbolFlags } from "typescript/unstable/sync";
import type { Project, Symbol as CompilerSymbol } from "typescript/unstable/sync";

/** The folders and declaration files that make up what is public. Absolute paths. */
export interface Surface {
  readonly root: string;
  /** Where the packages' declarations lie. */
  readonly folders: readonly string[];
  /** The .d.ts files that the packages' `exports` name. */
  readonly entries: readonly string[];
}

/** What was found, and how much was looked at. */
export interface SurfaceReport {
  readonly problems: readonly string[];
  readonly names: number;
}

// tsc keeps one declaration file beside each source, so the source's name follows.
function getSource(root: string, fileName: string): string {
  const path = relative(root, fileName).replaceAll(sep, "/");
  return path.replace("/dist/", "/src/").replace(/\.d\.ts$/, ".ts");
}

function lineAround(file: SourceFile, node: Node): string {
  const start = file.text.lastIndexOf("\n", node.end - 1) + 1;
  const end = file.text.indexOf("\n", node.end);
  return file.text.slice(start, end === -1 ? undefined : end).trim();
}

function fileProblems(root: string, file: SourceFile): string[] {
  const problems: string[] = [];
  const visit = (node: Node): void => {
    const isDefault =
      node.kind === SyntaxKind.DefaultKeyword || node.kind === SyntaxKind.ExportAssignment;
    if (node.kind === SyntaxKind.AnyKeyword || isDefault) {
      const what = isDefault ? "a default export" : "`any` in a public signature";
      problems.push(`${getSource(root, file.fileName)}: ${what}: ${lineAround(file, node)}`);
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return problems;
}

function resolveTarget(project: Project, symbol: CompilerSymbol): CompilerSymbol {
  const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
  return isAlias ? project.checker.getAliasedSymbol(symbol) : symbol;
}

/** The names of an entry, each with the problem it has, if any. */
function nameProblems(
  project: Project,
  { root, folders }: Surface,
  file: SourceFile,
): (string | undefined)[] {
  const module = project.checker.getSymbolAtLocation(file);
  const entry = getSource(root, file.fileName);
  return module === undefined ? [] : exportProblems(project, { root, folders }, module, entry);
}

function exportProblems(
  project: Project,
  surface: Pick<Surface, "root" | "folders">,
  module: CompilerSymbol,
  entry: string,
): (string | undefined)[] {
  const { root, folders } = surface;
  return project.checker.getExportsOfModule(module).flatMap((symbol) => {
    if (symbol.name === "default") return `${entry}: a default export: give it a name`;
    const target = resolveTarget(project, symbol);
    // `export * as name`: its members are the public names.
    if ((target.flags & SymbolFlags.ValueModule) !== 0) {
      return exportProblems(project, surface, target, entry);
    }
    const path = target.declarations[0]?.path;
    if (path === undefined) return `${entry}: ${symbol.name} leads nowhere`;
    if (!folders.some((folder) => path.startsWith(folder + sep))) return undefined;
    return project.checker.getDocumentationCommentOfSymbol(target) === ""
      ? `${getSource(root, path)}: ${symbol.name} is public and has no docstring`
      : undefined;
  });
}

/** Opens declaration files as one program, for as long as `read` runs. */
function withProject<Result>(
  entries: readonly string[],
  root: string,
  temp: string,
  read: (project: Project) => Result,
): Result {
  const config = join(temp, "tsconfig.surface.json");
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        lib: ["es2023", "esnext.disposable"],
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      },
      files: entries,
    }),
  );
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} could not be opened`);
    return read(project);
  } finally {
    api.close();
  }
}

/** A name that an entry exports. */
export interface PublicName {
  readonly name: string;
  readonly isType: boolean;
}

/** The exported names of each entry, by the path of its declarations. */
export function publicNames(
  entries: readonly string[],
  root: string,
  temp: string,
): ReadonlyMap<string, readonly PublicName[]> {
  return withProject(entries, root, temp, (project) => {
    const { program, checker } = project;
    const listNames = (entry: string): PublicName[] => {
      const file = program.getSourceFile(entry);
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
      const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
      return symbols.map((symbol) => {
        const isType = (resolveTarget(project, symbol).flags & SymbolFlags.Value) === 0;
        return { name: symbol.name, isType };
      });
    };
    return new Map(entries.map((entry) => [entry, listNames(entry)]));
  });
}

/** Reads the emitted declarations of all packages: no `any`, no default export, a docstring for every public name. */
export function inspectSurface(surface: Surface, temp: string): SurfaceReport {
  return withProject(surface.entries, surface.root, temp, (project) => {
    const files = project.program
      .getSourceFileNames()
      .filter((name) => surface.folders.some((folder) => name.startsWith(folder + sep)))
      .flatMap((name) => project.program.getSourceFile(name) ?? []);
    const names = files
      .filter((file) => surface.entries.includes(file.fileName))
      .flatMap((file) => nameProblems(project, surface, file));
    const problems = files.flatMap((file) => fileProblems(surface.root, file));
    return {
      problems: [...new Set([...problems, ...names.flatMap((problem) => problem ?? [])])],
      names: names.length,
    };
  });
}
