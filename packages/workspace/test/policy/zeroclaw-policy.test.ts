import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type Explanation } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { workspaceTools, zeroClawPolicy, type ZeroClawSettings } from "../../src/index.ts";

/** The decision on a script, with the first reason that is no consent. */
async function decide(
  command: string,
  settings: ZeroClawSettings = {},
): Promise<readonly [string, string | undefined]> {
  const root = join(tempFolder(), "ws");
  mkdirSync(root);
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, ...zeroClawPolicy(settings) });
  const { effect, requests }: Explanation = await executor.explain({
    name: "bash",
    arguments: { command },
  });
  return [effect, requests.find((request) => request.effect === effect)?.reason];
}

describe("the policy with ZeroClaw's settings", () => {
  test.each([
    ["ls -la", "allow", ""],
    ["git status", "allow", ""],
    ["git commit -m x", "ask", "Medium-risk command requires approval"],
    ["npm publish", "ask", "Medium-risk command requires approval"],
    ["ls && make", "deny", "Command not in allowlist"],
    ["rm x", "deny", "Command not in allowlist"],
    ["ls > x", "deny", "Command not in allowlist"],
    ["echo $(id)", "deny", "Command not in allowlist"],
    ["find . -exec ls {} +", "deny", "Command not in allowlist"],
    ["git -c a=b status", "deny", "Command not in allowlist"],
    ["python -c 1", "deny", "Command not in allowlist"],
    ["node --eval=1", "deny", "Command not in allowlist"],
    ["cat /etc/passwd", "deny", "Forbidden path: /etc/passwd"],
    ["cat ../x", "deny", "Forbidden path:"],
  ])("decides on %s: %s", async (command, effect, reason) => {
    const [decided, why] = await decide(command);
    expect(decided).toBe(effect);
    expect(effect === "allow" ? "" : why).toContain(reason);
  });

  test("blocks commands of high risk that the list has, or asks for them", async () => {
    const listed = { allowedCommands: ["rm"] };
    expect(await decide("rm x", listed)).toEqual(["deny", "High-risk commands are blocked"]);
    expect(await decide("rm x", { ...listed, blockHighRiskCommands: false })).toEqual([
      "ask",
      "High-risk command requires approval",
    ]);
  });

  test("runs nothing when it is read-only", async () => {
    expect(await decide("ls", { autonomy: "read_only" })).toEqual([
      "deny",
      "Read-only mode: cannot perform 'bash'",
    ]);
  });

  test("asks for nothing with full autonomy", async () => {
    expect((await decide("git commit -m x", { autonomy: "full" }))[0]).toBe("allow");
    expect((await decide("make", { autonomy: "full" }))[0]).toBe("deny");
  });

  test("limits the actions of an hour", async () => {
    const root = join(tempFolder(), "ws");
    mkdirSync(root);
    const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
    onTestFinished(() => registry.close());
    const executor = new ToolExecutor({ registry, ...zeroClawPolicy({ maxActionsPerHour: 1 }) });
    const call = { name: "bash", arguments: { command: "ls" } };
    expect((await executor.execute({ ...call, id: "1" })).ok).toBe(true);
    expect((await executor.execute({ ...call, id: "2" })).error?.code).toBe("rate_limited");
    const listing = { id: "3", name: "list_files", arguments: {} };
    expect((await executor.execute(listing)).ok).toBe(true);
  });
});
