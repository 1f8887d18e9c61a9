import { join } from "node:path";
import { ToolError } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { analyzeCommand, workspacePolicy, workspaceTools, zeroClawPolicy } from "../src/index.ts";

function findFault(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return ToolError.is(error) ? error.message : `no ToolError: ${String(error)}`;
  }
  return "no error";
}

describe("a workspace refuses", () => {
  test.each<[options: object, error: string]>([
    [{}, "root is missing; use a text that is not empty."],
    [{ root: "" }, 'root is ""; use a text that is not empty.'],
    [{ root: ".", id: "" }, 'id is ""; use a text that is not empty.'],
    [{ root: ".", otherRoots: "x" }, 'otherRoots is "x"; use a list.'],
    [
      { root: ".", otherRoots: [{ path: "/x", access: "all" }] },
      'otherRoots[0].access is "all"; use "read" or "write".',
    ],
    [{ root: ".", hardLinks: "Deny" }, 'hardLinks is "Deny"; use "allow", "ask" or "deny".'],
    [{ root: ".", protectedWrites: "Deny" }, 'protectedWrites is "Deny"; use "ask" or "deny".'],
    [{ root: ".", deny: "secrets" }, 'deny is "secrets"; use a list.'],
    [{ root: ".", deny: [""] }, 'deny[0] is ""; use a glob relative to a root'],
    [{ root: ".", deny: [" secrets/**"] }, 'deny[0] is " secrets/**"; use a glob relative'],
    [{ root: ".", ask: ["../x"] }, 'ask[0] is "../x"; use a glob relative to a root'],
    [{ root: ".", secrets: ["~/x"] }, 'secrets[0] is "~/x"; use a glob relative to a root'],
    [
      { root: ".", deny: [join(process.cwd(), "secrets/**")] },
      'globs are relative to a root: use "secrets/**"',
    ],
    [{ root: ".", maxPathLength: NaN }, "maxPathLength is NaN; use a whole number of 1 or more."],
    [{ root: ".", limits: { processes: NaN } }, "limits.processes is NaN; use a whole number"],
    [{ root: ".", sandbox: null }, "sandbox is null; use"],
    [{ root: ".", sandbox: "docker" }, 'sandbox is "docker"; use "auto", "required", "bwrap"'],
    [{ root: ".", sandbox: true }, "sandbox is true; use"],
    [{ root: ".", sandbox: {} }, "sandbox.level is missing; use a text"],
    [{ root: ".", env: { A: 5 } }, "env.A is no text; use one."],
    [{ root: ".", readPaths: "/opt" }, 'readPaths is "/opt"; use a list.'],
    [{ root: ".", network: [] }, "network takes an object"],
    [{ root: ".", network: { alow: ["a.example"] } }, 'unknown option "alow". Did you mean allow?'],
    [{ root: ".", network: { allow: ["http://a"] } }, '"http://a" is no host'],
    [{ root: ".", readOnly: "no" }, 'readOnly is "no"; use true or false.'],
  ])("%j", (options, error) => {
    expect(findFault(() => workspaceTools(options as never))).toContain(error);
  });
});

describe("a policy of a workspace refuses", () => {
  test.each<[options: object, error: string]>([
    [{ maxRisk: "High" }, 'workspacePolicy: maxRisk is "High"; use "none", "low"'],
    [{ maxrisk: "high" }, 'unknown option "maxrisk". Did you mean maxRisk?'],
    [{ allowSandboxed: "false" }, 'allowSandboxed is "false"; use true or false.'],
    [{ rules: {} }, "workspacePolicy: rules is {}; use a list."],
    [{ rules: [null] }, "workspacePolicy: rules[0] takes an object"],
    [{ rules: [{ command: ["rm"], effect: "Deny" }] }, 'rules[0].effect is "Deny"; use "allow"'],
    [
      { rules: [{ command: ["rm"], effect: "deny", match: "a" }] },
      'rules[0].match is "a"; use a list.',
    ],
  ])("%j", (options, error) => {
    expect(findFault(() => workspacePolicy(options as never))).toContain(error);
  });

  test("settings of ZeroClaw that are none", () => {
    expect(findFault(() => zeroClawPolicy({ autonomy: "Full" as never }))).toContain(
      'zeroClawPolicy: autonomy is "Full"; use "read_only", "supervised" or "full".',
    );
    expect(findFault(() => zeroClawPolicy({ maxActionsPerHour: NaN }))).toContain(
      "maxActionsPerHour is NaN; use 0 or more.",
    );
    expect(findFault(() => zeroClawPolicy(5 as never))).toContain("takes an object");
  });
});

test.each([undefined, 5])("no script is analysed that is no text: %s", (script) => {
  expect(findFault(() => analyzeCommand(script as never))).toBe(
    "analyzeCommand: script is no text; use one.",
  );
});
