import fc from "fast-check";
import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isStringLiteral } from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";
import { describe, expect, test } from "vitest";
import { docBlocks } from "../scripts/lib/doc-blocks.ts";
import { workspacePackages } from "../scripts/lib/workspace.ts";
import type { WorkspacePackage } from "../scripts/lib/workspace.ts";

const root = join(import.meta.dirname, "..");
const packages = workspacePackages(root);
const publishable = packages.filter((entry) => entry.publishable);

/** The packages that a package's files in a folder import, types too, read from their syntax trees. */
function importedPackages(
  entries: readonly WorkspacePackage[],
  within: "src" | "test",
): Map<string, string[]> {
  const api = new API({ cwd: root });
  try {
    const configs = entries.map((entry) => join(root, entry.folder, "tsconfig.json"));
    const snapshot = api.updateSnapshot({ openProjects: configs });
    return new Map(
      entries.map((entry, index) => {
        const program = snapshot.getProject(configs[index]!)!.program;
        const sources = join(root, entry.folder, within) + sep;
        const names = program
          .getSourceFileNames()
          .filter((name) => name.startsWith(sources))
          .flatMap((name) => program.getSourceFile(name)?.imports ?? [])
          .flatMap((specifier) => (isStringLiteral(specifier) ? specifier.text : []))
          .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
          .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
        return [entry.name, [...new Set(names)].sort()];
      }),
    );
  } finally {
    api.close();
  }
}

test("the tests run on the pinned Node", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(process.version).toBe(`v${devDependencies.node}`);
  expect(process.version).toBe("v24.21.0");
});

test("properties draw the same values in every run, and others if a seed is set", () => {
  expect(fc.readConfigureGlobal().seed).toBe(Number(process.env["TOOLWEAVE_SEED"] ?? 1));
  const drawn = fc.sample(fc.integer(), 5);
  expect(fc.sample(fc.integer(), 5)).toEqual(drawn);
});

test("the lockfile names no registry host", () => {
  const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
  const hosts = lines.filter((line) => /(?:resolution|tarball):.*https?:\/\//.test(line));
  expect(hosts).toEqual([]);
});

test("every package is MIT and declares its Node.js version", () => {
  for (const { folder, manifest } of packages) {
    expect([folder, manifest.license, manifest.engines]).toEqual([
      folder,
      "MIT",
      { node: ">=22.19.0" },
    ]);
  }
});

describe.each(publishable)("$name", ({ folder, manifest }) => {
  test("has no side effects and publishes its build, the pages about it and its sources", () => {
    expect(manifest.sideEffects).toBe(false);
    const data = existsSync(join(root, folder, "templates")) ? ["templates"] : [];
    expect(manifest.files).toEqual(["dist", "docs", "src", ...data]);
  });

  test("has types first, and a source for the workspace, at every entry", () => {
    const { "./package.json": own, ...entries } = manifest.exports ?? {};
    expect(own).toBe("./package.json");
    expect(entries).toHaveProperty(["."]);
    const modules = Object.entries(entries).filter(([key]) => !key.endsWith(".json"));
    for (const [, target] of modules) {
      expect(Object.keys(target)).toEqual(["@toolweave/source", "types", "default"]);
      const source = (target as Record<string, string>)["@toolweave/source"]!;
      expect([source, existsSync(join(root, folder, source))]).toEqual([source, true]);
    }
  });

  test("publishes its data unchanged, with the sources", () => {
    const { "./package.json": _own, ...entries } = manifest.exports ?? {};
    const data = Object.entries(entries).filter(([key]) => key.endsWith(".json"));
    for (const [, target] of data) {
      expect(target).toMatch(/^\.\/src\/.+\.json$/);
      expect(existsSync(join(root, folder, String(target)))).toBe(true);
    }
  });

  test("publishes the same entries without the source condition", () => {
    const published = Object.fromEntries(
      Object.entries(manifest.exports ?? {}).map(([key, target]) => {
        if (typeof target === "string") return [key, target];
        return [key, { types: target["types"], default: target["default"] }];
      }),
    );
    expect(manifest.publishConfig).toEqual({ access: "public", exports: published });
  });

  test("has a README with an example that runs", () => {
    const path = join(root, folder, "README.md");
    const examples = docBlocks(readFileSync(path, "utf8"), relative(root, path));
    expect(examples.length).toBeGreaterThan(0);
  });
});

describe("the runtime dependencies of a package are exactly what its sources import", () => {
  const imported = importedPackages(publishable, "src");
  const tested = importedPackages(publishable, "test");

  test.each(publishable)("$name", ({ name, manifest }) => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const sources = imported.get(name) ?? [];
    // A package that a host may pass can be used without an import: then its tests import it.
    const isBrought = (peer: string): boolean =>
      peerDependenciesMeta[peer]?.optional === true &&
      !sources.includes(peer) &&
      tested.get(name)?.includes(peer) === true;
    // A peer dependency of an entry of one of our packages is a dependency of its users.
    const isAsked = (name: string): boolean =>
      !sources.includes(name) &&
      publishable.some(
        (other) =>
          Object.hasOwn(dependencies, other.name) &&
          other.manifest.peerDependenciesMeta?.[name]?.optional === true,
      );
    const own = Object.keys(dependencies).filter((name) => !isAsked(name));
    const peers = Object.keys(peerDependencies).filter(
      (peer) => !isBrought(peer) && !isAsked(peer),
    );
    expect(sources).toEqual([...own, ...peers].sort());
  });
});
