import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const packageRoot = join(import.meta.dirname, "../..");

/** Compiles the consumer and the sources, with one version of the SDK in place of `ai`. */
function compile(sdk: string): { errors: string[]; files: string[] } {
  const folder = mkdtempSync(join(packageRoot, "node_modules", ".types-"));
  try {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(packageRoot, "../../tsconfig.base.json"),
        compilerOptions: {
          isolatedDeclarations: false,
          declaration: false,
          paths: { ai: [join(packageRoot, "node_modules", sdk, "dist/index.d.ts")] },
        },
        files: [join(packageRoot, "test/majors/consumer.ts")],
      }),
    );
    const tsc = join(packageRoot, "../../node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["--pretty", "false", "--listFiles", "-p", folder], {
      cwd: packageRoot,
      encoding: "utf8",
    });
    const lines = stdout.split("\n");
    return {
      errors: lines.filter((line) => line.includes("error TS")),
      files: lines.filter((line) => line.startsWith("/")),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ["ai-v5", "/ai@5."],
  ["ai-v6", "/ai@6."],
])("a program that uses the package compiles with %s", (sdk, version) => {
  const { errors, files } = compile(sdk);
  const versions = files.filter((file) => file.includes("/node_modules/ai/dist/"));
  expect(versions.map((file) => file.includes(version))).toEqual([true]);
  expect(errors.filter((line) => line.includes("consumer.ts"))).toEqual([]);
  // TS2305, TS2724: the sources name a type that this version does not have.
  expect(errors.filter((line) => /TS(?:2305|2724)/.test(line))).toEqual([]);
});
