import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFullRun } from "../packages/test-support/src/index.ts";
import { followGuide } from "../scripts/lib/follow-guide.ts";
import { guideSteps } from "../scripts/lib/guide-steps.ts";
import { getBinFolder } from "../scripts/lib/run-command.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/guides/write-an-adapter.md"), "utf8");
const cli = join(root, "apps/cli/src/main.ts");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolweave-guide-"));
  // `check guide` installs packed packages; here they are the sources.
  const packages = [
    ["@toolweave/core", "packages/core"],
    ["@toolweave/conformance", "conformance"],
    ["vitest", "node_modules/vitest"],
  ] as const;
  mkdirSync(join(folder, "node_modules/@toolweave"), { recursive: true });
  for (const [name, target] of packages) {
    symlinkSync(join(root, target), join(folder, "node_modules", name), "junction");
  }
  // Vite resolves by its own conditions.
  const conditions = '["@toolweave/source"]';
  writeFileSync(
    join(folder, "vitest.config.js"),
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions}, externalConditions: ${conditions} } } };\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Sources are not installed, and the programs are those of the workspace. */
function commandFor([program = "", ...args]: readonly string[]): readonly string[] | undefined {
  if (program === "npm" && args[0] === "install") return undefined;
  if (program !== "npx") return [program, ...args];
  if (args[0] === "toolweave") return ["node", cli, ...args.slice(1)];
  return args;
}

describe("the adapter guide", () => {
  // `check guide` follows it with packed packages.
  test.runIf(isFullRun)(
    "leads from an empty folder to a tested adapter, and its broken version fails",
    async () => {
      const problem = await followGuide(page, {
        folder,
        binFolder: getBinFolder(root),
        env: {
          NODE_OPTIONS: "--conditions=@toolweave/source --disable-warning=ExperimentalWarning",
        },
        commandFor,
      });
      expect(problem).toBeUndefined();
    },
    240_000,
  );

  test("is followed to the last block", () => {
    const kinds = guideSteps(page).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["write", "edit", "run"]));
    expect(page.match(/^```(?:ts|js|diff)$/gm)).toHaveLength(
      kinds.filter((kind) => kind !== "run").length,
    );
  });
});
