import { expect, test } from "vitest";
import { runCommand } from "./support/run-cli.ts";

test("stubs prints the functions of a kind of scripts", async () => {
  const tool = await runCommand(["stubs"]);
  expect(tool).toMatchObject({ code: 0, stderr: "" });
  expect(tool.stdout).toContain("class exec:\n    @staticmethod\n    def run(cmd: str,");
  const hook = await runCommand(["stubs", "--kind", "hook"]);
  expect(hook.stdout).toContain('def block(reason: str = "") -> dict:');
  expect(hook.stdout).not.toContain("class exec:");
  expect((await runCommand(["stubs", "--kind", "test"])).stdout).toContain("class t:");
  expect(await runCommand(["stubs", "--kind", "other"])).toMatchObject({ code: 2 });
});
