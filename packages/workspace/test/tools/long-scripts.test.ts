import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { workspacePolicy, workspaceTools } from "../../src/index.ts";
import { openWorkspace } from "../support/open-workspace.ts";

const repeated = (count: number, create: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => create(index)).join("\n");

describe("scripts with many commands", () => {
  test("run with as many commands and files as a policy decides", async () => {
    const { text } = openWorkspace({}, { sandbox: "none" });
    const command = `${repeated(150, (index) => `echo ${index} > file-${index}.txt`)}\nls | wc -l`;
    expect((await text("bash", { command })).trim()).toBe("150");
  });

  test("fail with the limit if a person would have to read too much", async () => {
    const { failure } = openWorkspace({}, { sandbox: "none" });
    expect(await failure("bash", { command: "\u{1}".repeat(60_000) })).toContain(
      "invalid_arguments: The script, or one command of it, has more than 100000 characters",
    );
  });

  test("work up to the length of a script, also if it is not understood", async () => {
    const { text } = openWorkspace({}, { sandbox: "none" });
    const command = `cat > long.txt <<'END'\n${repeated(600, () => "x".repeat(90))}\nEND\nwc -l < long.txt`;
    expect(command.length).toBeGreaterThan(50_000);
    expect((await text("bash", { command })).trim()).toBe("600");
  });

  test("that need more approvals than a person reads are to be split", async () => {
    const registry = new ToolRegistry([workspaceTools({ root: tempFolder(), sandbox: "none" })]);
    onTestFinished(() => registry.close());
    const executor = new ToolExecutor({ registry, policy: workspacePolicy() });
    const call = (command: string) =>
      executor.execute({ id: command.slice(0, 9), name: "bash", arguments: { command } });
    const { error } = await call(
      `cat ${repeated(101, (index) => `/etc/${index}`).replaceAll("\n", " ")}`,
    );
    expect([error?.code, error?.audience, error?.message]).toEqual([
      "permission_denied",
      "model",
      "bash needs approval for 101 actions, and a person decides on 100 at most. Split it into several calls.",
    ]);
    expect((await call(`cat /etc/passwd`)).status).toBe("interrupted");
  });
});

test("a patch of many files is applied", async () => {
  const { text } = openWorkspace({}, { applyPatch: true });
  const files = repeated(150, (index) => `*** Add File: f${index}.txt\n+${index}`);
  await text("apply_patch", { patch: `*** Begin Patch\n${files}\n*** End Patch` });
  expect(await text("list_files", {})).toContain("f149.txt");
});

test("a patch of more files than a policy decides fails with the limit", async () => {
  const { failure } = openWorkspace({}, { applyPatch: true });
  const files = repeated(1_001, (index) => `*** Add File: f${index}.txt\n+${index}`);
  expect(
    await failure("apply_patch", { patch: `*** Begin Patch\n${files}\n*** End Patch` }),
  ).toContain("invalid_arguments: The patch");
});
