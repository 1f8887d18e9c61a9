import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../scripts/lib/run-command.ts";

test(
  "check notices every planted violation, and passes the same tree without them",
  { timeout: 660_000 },
  async () => {
    const root = join(import.meta.dirname, "..");
    const script = join(root, "scripts/planted-violations.ts");
    const { code, output } = await runCommand(process.execPath, [script], {
      cwd: root,
      timeoutMs: 600_000,
    });
    expect(output).toMatch(/^planted violations: 8 noticed, 0 not$/m);
    expect(code).toBe(0);
  },
);
