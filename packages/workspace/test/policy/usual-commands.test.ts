import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { analyzeCommand, workspacePolicy, workspaceTools } from "../../src/index.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

/** Commands of agents' usual work. `\n` is a line feed. */
const commands: readonly string[] = readFileSync(
  join(import.meta.dirname, "support/usual-commands.txt"),
  "utf8",
)
  .trimEnd()
  .split("\n")
  .map((line) => line.replaceAll(String.raw`\n`, "\n"));

describe("the usual commands of agents", () => {
  test("are understood, but those with variables, patterns, loops and background processes", () => {
    const opaque = commands.filter((command) => !analyzeCommand(command).isKnown);
    expect(opaque).toEqual([
      "wc -l src/*.ts",
      "(cd apps/web && npm run build)",
      "NODE_ENV=test npm test",
      "CI=1 npx playwright test",
      "export PATH=$PATH:./bin",
      'for f in src/*.ts; do wc -l "$f"; done',
      "echo $HOME",
      "kill $(lsof -t -i:3000)",
      "xargs rm < files.txt",
      "nohup npm start > server.log 2>&1 &",
      "npm start &",
    ]);
    expect(opaque.length / commands.length).toBeLessThan(0.05);
    expect(commands.length).toBeGreaterThanOrEqual(200);
  });

  test.runIf(hasSandbox)("need no approval in a sandbox, but those for credentials", async () => {
    const root = join(tempFolder(), "ws");
    mkdirSync(root);
    const registry = new ToolRegistry([workspaceTools({ root, sandbox: "bwrap" })]);
    onTestFinished(() => registry.close());
    const policy = workspacePolicy({ allowSandboxed: true });
    const executor = new ToolExecutor({ registry, policy });
    const asking: string[] = [];
    for (const command of commands) {
      const { effect } = await executor.explain({ name: "bash", arguments: { command } });
      if (effect !== "allow") asking.push(command);
    }
    // It writes a file for credentials.
    expect(asking).toEqual(["cp .env.example .env"]);
    expect(asking.length / commands.length).toBeLessThan(0.02);
  });
});
