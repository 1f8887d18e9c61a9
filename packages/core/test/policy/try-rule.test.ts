import { describe, expect, test } from "vitest";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type PolicyInput,
  type PolicyRule,
  type Tool,
} from "../../src/index.ts";
import { tryRule } from "../../src/adapter.ts";

const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, description: name, input: { type: "object" }, execute: () => "ok", ...more });

const tools = [
  tool("read_mail", { annotations: { readOnlyHint: true } }),
  tool("send_mail"),
  tool("delete_mail", { annotations: { destructiveHint: true } }),
  tool("fetch_page", {
    preflight: () => [{ kind: "network", target: "GET https://example.com/", summary: "Reads." }],
  }),
];

const executorWith = (policy: PolicyInput): ToolExecutor =>
  new ToolExecutor({ registry: new ToolRegistry(tools), policy });

describe("a rule that is tried", () => {
  test("lists each tool whose decision it changes, and changes none", async () => {
    const executor = executorWith("supervised");
    const rule: PolicyRule = { effect: "deny", tools: "*_mail" };
    expect(await tryRule(executor, rule)).toEqual({
      layer: "policy",
      changes: [
        { tool: "delete_mail", before: "ask", after: "deny" },
        { tool: "read_mail", before: "allow", after: "deny" },
        { tool: "send_mail", before: "allow", after: "deny" },
      ],
      unchanged: 1,
      warnings: [],
    });
    expect((await executor.explain({ name: "send_mail" })).effect).toBe("allow");
    expect(executor.policies[0]?.toJSON()).toBe("supervised");
  });

  test("agrees with an executor that has the rule", async () => {
    const rules: readonly PolicyRule[] = [{ effect: "ask", tools: "send_*" }];
    const policy: PolicyInput = [{ rules }, { rules: [{ effect: "deny", tools: "delete_*" }] }];
    const tried: readonly PolicyRule[] = [
      { effect: "allow", tools: "*" },
      { effect: "ask", ask: "always", tools: "read_*" },
      { effect: "deny", annotations: { destructiveHint: true } },
      { effect: "allow", tools: "delete_mail" },
    ];
    for (const rule of tried) {
      const { changes } = await tryRule(executorWith(policy), rule);
      const other = executorWith([{ rules: [...rules, rule] }, policy[1] as never]);
      for (const { spec } of tools) {
        const [before, after] = await Promise.all(
          [executorWith(policy), other].map(async (executor) => {
            const { effect, requests } = await executor.explain({ name: spec.name });
            const isAlways = requests[0]?.considered.some(({ ask }) => ask === "always");
            return effect === "ask" && isAlways === true ? "ask always" : effect;
          }),
        );
        const change = changes.find(({ tool }) => tool === spec.name);
        expect([spec.name, change?.before ?? before, change?.after ?? before]).toEqual([
          spec.name,
          before,
          after,
        ]);
      }
    }
  });

  test("is added to the named policy", async () => {
    const executor = executorWith([() => "ask", { name: "team", preset: "autonomous" }]);
    const rule: PolicyRule = { effect: "deny", tools: "send_mail" };
    expect(await tryRule(executor, rule)).toMatchObject({ layer: "team", unchanged: 3 });
    await expect(tryRule(executor, rule, { layer: "policy" })).rejects.toThrow(
      'layer is "policy"; the policies with rules are team.',
    );
    await expect(
      tryRule(
        executorWith(() => "ask"),
        rule,
      ),
    ).rejects.toThrow("is a function");
  });

  test("and is for permissions shows an example of them, for tools that ask for some", async () => {
    const executor = executorWith("autonomous");
    const permissions = { kind: "net*", target: "GET https://example.com/*" };
    expect(await tryRule(executor, { effect: "deny", permissions })).toMatchObject({
      changes: [
        {
          tool: "fetch_page",
          permission: { kind: "network", target: "GET https://example.com/*" },
          before: "allow",
          after: "deny",
        },
      ],
      unchanged: 3,
    });
  });

  test("and is for callers decides for the given one", async () => {
    const executor = executorWith({ default: "deny" });
    const rule: PolicyRule = { effect: "allow", tools: "send_mail", callers: { id: "ada" } };
    expect((await tryRule(executor, rule)).changes).toEqual([]);
    expect((await tryRule(executor, rule, { caller: { id: "ada" } })).changes).toEqual([
      { tool: "send_mail", before: "deny", after: "allow" },
    ]);
  });

  test("and has no effect says why; one that is not valid is refused", async () => {
    const executor = executorWith("supervised");
    const { changes, warnings } = await tryRule(executor, { effect: "deny", tools: "send_mial" });
    expect(changes).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^The rule\.tools .*send_mail/)]);
    await expect(tryRule(executor, { effect: "no" as never })).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("policy.rules[0].effect") as string,
    });
  });
});
