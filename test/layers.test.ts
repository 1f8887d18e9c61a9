import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  importCircles,
  sourceFiles,
  resolveTarget,
  type SourceFile,
} from "../scripts/lib/source-imports.ts";
import { workspacePackages } from "../scripts/lib/workspace.ts";
import { corePeers, layers, packageImports } from "./layers.ts";

const root = join(import.meta.dirname, "..");

const sources = new Map(
  Object.keys(packageImports).map((folder) => [
    folder,
    sourceFiles(join(root, folder), ["src/**"]),
  ]),
);
const getSources = (folder: string): readonly SourceFile[] => sources.get(folder) ?? [];

/** The most specific folder of the layers that a file of `src` is in. */
function findFolder(path: string, folders: readonly string[]): string | undefined {
  const parts = path.split("/").slice(1, -1);
  if (parts.length === 0) return ".";
  for (let length = parts.length; length > 0; length--) {
    const folder = parts.slice(0, length).join("/");
    if (folders.includes(folder)) return folder;
  }
  return undefined;
}

/** The imports that run upwards or sideways, and the files that are in no layer. */
function violations(
  files: readonly SourceFile[],
  order: readonly (readonly string[])[],
): readonly string[] {
  const folders = order.flat();
  const findLayer = (folder: string): number => order.findIndex((layer) => layer.includes(folder));
  return files.flatMap((file) => {
    const from = findFolder(file.path, folders);
    if (from === undefined) return [`${file.path} is in no layer`];
    return file.imports.flatMap((specifier) => {
      const target = resolveTarget(file, specifier);
      const isModule = target?.startsWith("src/") === true && /\.tsx?$/.test(target);
      const to = isModule ? findFolder(target, folders) : undefined;
      if (target === undefined || to === undefined || to === from) return [];
      return findLayer(to) < findLayer(from) ? [] : [`${file.path} imports ${target}`];
    });
  });
}

describe("a package", () => {
  test("has its imports in the table", () => {
    const published = workspacePackages(root).filter(
      ({ folder }) => !folder.startsWith("examples/"),
    );
    expect(Object.keys(packageImports).sort()).toEqual(
      published.map(({ folder }) => folder).sort(),
    );
  });

  test.each(Object.entries(packageImports))(
    "%s imports no other packages than its own table",
    (folder, allowed) => {
      const imported = getSources(folder)
        .flatMap(({ imports }) => imports)
        .flatMap(
          (specifier) => /^(?:@toolweave\/[^/]+|toolweave(?=\/|$))/.exec(specifier)?.[0] ?? [],
        );
      expect([...new Set(imported)].sort()).toEqual([...allowed].sort());
    },
  );

  test.each(workspacePackages(root).map(({ folder }) => folder))(
    "%s imports no inside of another package",
    (folder) => {
      const files = sourceFiles(join(root, folder), ["{src,test,bench,corpus}/**"]);
      const wrong = files.flatMap((file) =>
        file.imports.filter((specifier) =>
          specifier.startsWith(".")
            ? /^\.\.\/(?:.*\/)?src\//.test(resolveTarget(file, specifier) ?? "")
            : /^@toolweave\/[^/]+\/(?:src|dist|test)(?:\/|$)/.test(specifier),
        ),
      );
      expect(wrong).toEqual([]);
    },
  );

  test("core imports ajv, and an optional peer in the entry that needs it", () => {
    const wrong = getSources("packages/core").flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => !specifier.startsWith(".") && !/^ajv(?:\/|$)/.test(specifier))
        .filter((specifier) =>
          Object.entries(corePeers).every(
            ([start, peer]) => !path.startsWith(start) || specifier !== peer,
          ),
        )
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the files of a package", () => {
  test.each(Object.keys(packageImports))("%s form no circle of more than two", (folder) => {
    expect(importCircles(getSources(folder)).filter(({ length }) => length > 2)).toEqual([]);
  });

  test("that form a circle are found", () => {
    const files = [
      { path: "src/a.ts", imports: ["./b.ts"] },
      { path: "src/b.ts", imports: ["./c.ts", "./d.ts"] },
      { path: "src/c.ts", imports: ["./a.ts"] },
      { path: "src/d.ts", imports: [] },
    ];
    expect(importCircles(files)).toEqual([["src/a.ts", "src/b.ts", "src/c.ts"]]);
  });
});

describe("the folders of a package", () => {
  test.each(Object.entries(layers))("%s import downwards only", (folder, order) => {
    expect(violations(getSources(folder), order)).toEqual([]);
  });

  test("that import upwards, sideways, or are in no layer are found", () => {
    const order = [["low"], ["side", "other"], ["high"]];
    const files = [
      { path: "src/low/a.ts", imports: ["../high/b.ts", "./c.ts"] },
      { path: "src/side/a.ts", imports: ["../other/b.ts", "../low/a.ts"] },
      { path: "src/high/a.ts", imports: ["../low/a.ts", "../side/deep/b.ts", "@toolweave/core"] },
      { path: "src/new/a.ts", imports: [] },
    ];
    expect(violations(files, order)).toEqual([
      "src/low/a.ts imports src/high/b.ts",
      "src/side/a.ts imports src/other/b.ts",
      "src/new/a.ts is in no layer",
    ]);
  });
});
