import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type PolicyInput, type ToolOutcome } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { workspacePolicy, workspaceTools } from "../../src/index.ts";

async function run(command: string, policy: PolicyInput): Promise<ToolOutcome> {
  const registry = new ToolRegistry([workspaceTools({ root: tempFolder(), sandbox: "none" })]);
  onTestFinished(() => registry.close());
  return new ToolExecutor({ registry, policy }).execute({
    id: "1",
    name: "bash",
    arguments: { command },
  });
}

test("commands that only read run at once, and everything else asks", async () => {
  const policy = workspacePolicy();
  expect((await run("ls && pwd", policy)).status).toBe("completed");
  expect((await run("touch a", policy)).status).toBe("interrupted");
  expect((await run("echo $(ls)", policy)).status).toBe("interrupted");
});

test("an approval displays every command, with what it writes and why it is not known to read", async () => {
  const outcome = await run("cat a && curl -o out https://example.com/x", workspacePolicy());
  if (outcome.status !== "interrupted") throw new Error(outcome.status);
  const summaries = outcome.interruption.requests.map((request) =>
    request.type === "approval" ? request.permission.summary : "",
  );
  expect(summaries).toContain(
    "Run curl -o out https://example.com/x (curl connects to other hosts)",
  );
  expect(summaries).toContain("Connect to https://example.com/x with curl");
});

test("AP10: a rule that denies a command outweighs the policy, wherever the command is in a script", async () => {
  const policy: PolicyInput = [
    workspacePolicy({ maxRisk: "high" }),
    { rules: [{ effect: "deny", permissions: { kind: "process", target: "rm *" } }] },
  ];
  expect((await run("ls", policy)).status).toBe("completed");
  for (const command of [
    "rm -rf x",
    "ls; rm x",
    "timeout 5 rm x",
    "bash -c 'ls && rm x'",
    "echo $(rm x)",
  ]) {
    const { error } = await run(command, policy);
    expect([command, error?.code]).toEqual([command, "permission_denied"]);
  }
});

test("reads outside of the workspace, and writes there, are permissions of their own", async () => {
  const policy: PolicyInput = [
    workspacePolicy({ maxRisk: "medium" }),
    { rules: [{ effect: "deny", permissions: { kind: "fs.*", target: "/etc/*" } }] },
  ];
  expect((await run("cat /etc/hostname", policy)).error?.code).toBe("permission_denied");
  expect((await run("cp a /etc/x", policy)).error?.code).toBe("permission_denied");
});

test("a command that reads outside of the workspace asks, also if it only reads", async () => {
  for (const command of [
    "cat /etc/hostname",
    "ls ..",
    "cat < /etc/hostname",
    "cd / && cat etc/hostname",
  ]) {
    expect([command, (await run(command, workspacePolicy())).status]).toEqual([
      command,
      "interrupted",
    ]);
  }
});

test("K3: a file is where its links lead, not where its text does", async () => {
  const outside = tempFolder();
  const root = tempFolder();
  writeFileSync(join(outside, "secret"), "");
  mkdirSync(join(outside, "folder"));
  mkdirSync(join(root, "folder"));
  symlinkSync(join(outside, "folder"), join(root, "link"));
  symlinkSync("link", join(root, "chain"));
  symlinkSync(join(outside, "new"), join(root, "dangling"));
  symlinkSync("folder", join(root, "inner"));
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  onTestFinished(() => registry.close());
  const policy = workspacePolicy({ maxRisk: "medium" });
  const executor = new ToolExecutor({ registry, policy });
  const decide = async (command: string): Promise<string> =>
    (await executor.explain({ name: "bash", arguments: { command } })).effect;
  for (const command of [
    "cat link/../secret",
    "cat chain/../secret",
    "cat chain/./../secret",
    "cat inner/../link/../secret",
    "cd link && cat ../secret",
    "cat < link/../secret",
    "cat link/a",
    "echo x > link/a",
    "echo x > dangling",
    "cat ../x",
  ]) {
    expect([command, await decide(command)]).toEqual([command, "ask"]);
  }
  for (const command of ["cat inner/../a", "echo x > inner/a", "cd link/.. && cat a"]) {
    expect([command, await decide(command)]).toEqual([command, "allow"]);
  }
});

test("up to a medium risk, files of the workspace are changed without approval, and no others", async () => {
  const policy = workspacePolicy({ maxRisk: "medium" });
  expect((await run("mkdir a && echo x > a/b", policy)).status).toBe("completed");
  expect((await run("mkdir /tmp/a-folder-outside", policy)).status).toBe("interrupted");
  expect((await run("echo x > .env", policy)).status).toBe("interrupted");
  expect((await run("rm -rf a", policy)).status).toBe("interrupted");
});
