import { describe, expect, test } from "vitest";
import { defineTool, type PolicyInput, type PolicyRule, type Tool } from "@toolweave/core";
import { call, executorFor } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import { createEntry, decideEffect } from "./subjects.ts";
import { compilePolicy } from "../../src/policy/compile-policy.ts";
import { decideByTool } from "../../src/policy/decision.ts";

const input = { type: "object" } as const;
const define = (more: Partial<Parameters<typeof defineTool>[0]>): Tool =>
  defineTool({ name: "pay", description: "Pay.", input, execute: () => "paid", ...more });
const request = { kind: "network", target: "POST https://bank.example/", summary: "Pays." };

/** The ways in which a tool asks for approval of its calls. */
const tools: Readonly<Record<string, Tool>> = {
  "needsApproval: true": define({ needsApproval: true }),
  "needsApproval: true and a preflight": define({
    needsApproval: true,
    preflight: () => [request],
  }),
  "a function needsApproval": define({ needsApproval: () => true }),
  needsApprovalHint: define({ annotations: { readOnlyHint: true, needsApprovalHint: true } }),
};

const tryCall = async (tool: Tool, policy: PolicyInput): Promise<string> => {
  const { status } = await executorFor(tool, { policy }).execute(call("pay"));
  return status === "completed" ? "runs" : status === "interrupted" ? "asks" : "refused";
};

const allowed: PolicyRule = { effect: "allow", tools: "pay" };
const namedHint: PolicyRule = { ...allowed, annotations: { needsApprovalHint: true } };
const namedKind: PolicyRule = { ...allowed, permissions: { kind: "custom.approval" } };
const lifted: readonly PolicyRule[] = [namedHint, namedKind];

describe.each(Object.entries(tools))("a tool of the host with %s", (_, tool) => {
  test.each<[string, PolicyInput]>([
    ["the preset supervised", "supervised"],
    ["the preset autonomous", "autonomous"],
    ["a default that allows", { default: "allow" }],
    ["a rule that allows it by name", { rules: [allowed] }],
    ["a rule that allows everything", { rules: [{ effect: "allow", tools: "*" }] }],
    ["a function without an opinion", () => undefined],
    ["a policy for other sources", [{ sources: "files", decide: () => "allow" }, "autonomous"]],
    ["a later rule that names the need", ["autonomous", { rules: lifted }]],
    [
      "a rule about tools without the need",
      {
        preset: "autonomous",
        rules: [{ ...allowed, annotations: { needsApprovalHint: false } }],
      },
    ],
  ])("asks under %s", async (_, policy) => {
    expect(await tryCall(tool, policy)).toBe("asks");
  });

  test.each<[string, PolicyInput]>([
    ["rules that name the need", { rules: lifted }],
    ["them before another policy", [{ preset: "autonomous", rules: lifted }, "autonomous"]],
    ["a function that allows it", () => "allow"],
    ["a policy for its source", [{ sources: "host", decide: () => "allow" }, "autonomous"]],
  ])("runs under %s", async (_, policy) => {
    expect(await tryCall(tool, policy)).toBe("runs");
  });

  test("is refused where a rule denies it, whatever is lifted", async () => {
    const rules: readonly PolicyRule[] = [...lifted, { effect: "deny", tools: "pay" }];
    expect(await tryCall(tool, { rules })).toBe("refused");
  });

  test("has a remedy that lets it run", async () => {
    const { requests } = await executorFor(tool, { policy: "autonomous" }).explain({
      name: "pay",
      arguments: {},
    });
    const rules = requests.map(({ remedy = "" }) => {
      const [, rule = ""] = /^Add (\{.*\}) to the rules of the policy\.$/.exec(remedy) ?? [];
      return JSON.parse(rule) as PolicyRule;
    });
    expect(await tryCall(tool, { preset: "autonomous", rules })).toBe("runs");
  });
});

test("the claim of an untrusted tool to need approval changes nothing", async () => {
  const claiming: Tool = { ...define({ annotations: { needsApprovalHint: true } }) };
  const source = (trusted: boolean): TestSource => new TestSource("s", [claiming], { trusted });
  const run = async (trusted: boolean): Promise<string> =>
    (await executorFor(source(trusted), { policy: "autonomous" }).execute(call("pay"))).status;
  expect(await run(false)).toBe("completed");
  expect(await run(true)).toBe("interrupted");
});

test("what the tool alone decides is known before a call", () => {
  const entry = createEntry("t", { annotations: { needsApprovalHint: true } });
  for (const policy of ["autonomous", { rules: [{ effect: "allow", tools: "t" }] }] as const) {
    expect(decideByTool(compilePolicy(policy), entry)).toMatchObject({
      effect: "ask",
      rule: "needsApproval",
      reason: "this tool always needs approval (needsApproval)",
    });
  }
  expect(
    decideEffect({ rules: [{ effect: "ask", tools: "t" }] }, "t", {
      annotations: { needsApprovalHint: true },
    }),
  ).toBe("ask");
});
