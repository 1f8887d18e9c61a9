import { describe, expect, test } from "vitest";
import { analyzeCommand, workspacePolicy, type CommandRule } from "../../src/index.ts";
import { CommandRules } from "../../src/policy/command-rules.ts";

/** The effects of the rules on the commands of a script. */
function effectsOn(script: string, rules: readonly CommandRule[]): readonly (string | undefined)[] {
  const compiled = new CommandRules(rules);
  return analyzeCommand(script).commands.map((command) => compiled.find(command)?.effect);
}

const git: CommandRule = { command: ["git", ["status", "diff"], "..."], effect: "allow" };

describe("a rule for commands", () => {
  test.each([
    ["git status", ["allow"]],
    ["git diff --stat HEAD", ["allow"]],
    ["timeout 5 git status", ["allow"]],
    ["bash -c 'git status'", ["allow"]],
    ["/usr/bin/git status", ["allow"]],
    ["git push", [undefined]],
    ["git", [undefined]],
    ["git -c a=b status", [undefined]],
    ["./git status", [undefined]],
    ["/tmp/git status", [undefined]],
    ["sudo git status", [undefined]],
    ["echo git status", [undefined]],
    ["git status && rm x", ["allow", undefined]],
  ])("that allows words decides on %s", (script, effects) => {
    expect(effectsOn(script, [git])).toEqual(effects);
  });

  test("that denies also matches a program of that name in another folder, and behind sudo", () => {
    const rules: readonly CommandRule[] = [{ command: ["rm", "..."], effect: "deny" }];
    for (const script of ["rm x", "./rm x", "/opt/rm x", "sudo rm x", "env rm x"]) {
      expect(effectsOn(script, rules)).toEqual(["deny"]);
    }
  });

  test("without an open end matches these words alone", () => {
    const rules: readonly CommandRule[] = [{ command: ["npm", "test"], effect: "allow" }];
    expect(effectsOn("npm test; npm test -- --watch", rules)).toEqual(["allow", undefined]);
    const any: readonly CommandRule[] = [{ command: ["npm", "run", "*"], effect: "allow" }];
    expect(effectsOn("npm run build; npm run build x; npm run", any)).toEqual([
      "allow",
      undefined,
      undefined,
    ]);
  });

  test("is overruled by a stricter one, in any order", () => {
    const rules: readonly CommandRule[] = [
      { command: ["git", "..."], effect: "allow" },
      { command: ["git", "push", "..."], effect: "ask" },
      { command: ["git", "push", "--force"], effect: "deny" },
    ];
    const effects = ["allow", "ask", "deny"];
    expect(effectsOn("git log; git push; git push --force", rules)).toEqual(effects);
    expect(effectsOn("git log; git push; git push --force", rules.toReversed())).toEqual(effects);
  });

  test.each([
    [{ ...git, match: ["git push"] }, ' does not match its example "git push"'],
    [{ ...git, notMatch: ["cd a && git diff"] }, ' matches "cd a && git diff", which it must not'],
    [{ command: [], effect: "allow" }, ".command is []; use a list of words"],
    [{ command: ["a", "...", "b"], effect: "allow" }, ' has "..." not at its end'],
    [{ command: ["*", "--help"], effect: "allow" }, " allows any program"],
    [{ command: ["a"], effect: "maybe" }, '.effect is "maybe"; use "allow", "ask" or "deny".'],
  ])("is refused when the policy is made: %j", (rule, message) => {
    expect(() => workspacePolicy({ rules: [git, rule as CommandRule] })).toThrow(
      `workspacePolicy: rules[1]${message}`,
    );
  });

  test("is accepted with examples that hold", () => {
    expect(() =>
      workspacePolicy({ rules: [{ ...git, match: ["git status -s"], notMatch: ["git push"] }] }),
    ).not.toThrow();
  });
});
