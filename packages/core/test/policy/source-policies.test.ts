import { describe, expect, test, vi } from "vitest";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type PolicyAnswer,
  type PolicyFunction,
  type PolicyInput,
  type PolicyLayerInput,
  toolsSource,
} from "../../src/index.ts";
import { tryRule } from "../../src/adapter.ts";
import { compilePolicy, narrowPolicy } from "../../src/policy/compile-policy.ts";
import { decideByTool, decidePermission, explainPermission } from "../../src/policy/decision.ts";
import { createEntry, createSubject, decideEffect, isListed } from "./subjects.ts";

const about = (answer: PolicyAnswer, sources: string | readonly string[] = "files") => ({
  sources,
  decide: () => answer,
});

/** Every policy that may stand behind one for a source: none, presets, defaults, rules, a function. */
const bases: Readonly<Record<string, PolicyLayerInput | undefined>> = {
  "no policy": undefined,
  "an empty one": {},
  supervised: "supervised",
  readOnly: "readOnly",
  autonomous: "autonomous",
  "preset strict": { preset: "strict" },
  "default deny": { default: "deny" },
  "a rule that allows": { rules: [{ effect: "allow", tools: "t" }] },
  "a rule that asks": { rules: [{ effect: "ask", tools: "t" }] },
  "a rule that denies": { rules: [{ effect: "deny", tools: "t" }] },
  "a rule for others": { rules: [{ effect: "allow", tools: "other" }] },
  "a function": () => undefined,
};

const withBase = (base: PolicyLayerInput | undefined, ...before: PolicyLayerInput[]): PolicyInput =>
  base === undefined ? before : [...before, base];

/** The expected effects: no opinion, allow, ask, deny. */
const expected: Readonly<Record<string, string>> = {
  "no policy": "ask allow ask deny",
  "an empty one": "ask allow ask deny",
  supervised: "ask ask ask deny",
  readOnly: "deny deny deny deny",
  autonomous: "allow allow ask deny",
  "preset strict": "deny deny deny deny",
  "default deny": "deny deny deny deny",
  "a rule that allows": "allow allow ask deny",
  "a rule that asks": "ask ask ask deny",
  "a rule that denies": "deny deny deny deny",
  "a rule for others": "ask allow ask deny",
  "a function": "ask allow ask deny",
};

const answers: readonly PolicyAnswer[] = [undefined, "allow", "ask", "deny"];

describe.each(Object.entries(bases))("a policy for a source, before %s", (name, base) => {
  const own = { source: "files" };
  const alone: PolicyInput = base ?? "supervised";

  test("decides about the tools of its source, with the strictest of the others", () => {
    const effects = answers.map((answer) => decideEffect(withBase(base, about(answer)), "t", own));
    expect(effects.join(" ")).toBe(expected[name]);
  });

  test.each(answers)("that answers %s does not change what is decided elsewhere", (answer) => {
    const policy = withBase(base, about(answer));
    const other = createSubject("t", { source: "api" });
    expect(decidePermission(compilePolicy(policy), other)).toEqual(
      decidePermission(compilePolicy(alone), other),
    );
    expect(decideByTool(compilePolicy(policy), other.entry)).toEqual(
      decideByTool(compilePolicy(alone), other.entry),
    );
  });

  test("hides no tool that the others list", () => {
    for (const answer of answers) {
      const policy = withBase(base, about(answer));
      expect(isListed(policy, "t", own)).toBe(isListed(alone, "t", own));
    }
  });
});

describe("a policy for sources", () => {
  test("is not called for other tools, and decides each call of its own", () => {
    const decide = vi.fn<PolicyFunction>(() => "allow");
    const layers = compilePolicy([{ sources: ["files", "net*"], decide }]);
    for (const source of ["api", "host", "my_files"]) {
      void decidePermission(layers, createSubject("t", { source }));
    }
    expect(decide).not.toHaveBeenCalled();
    expect(decideByTool(layers, createEntry("t", { source: "api" }))).toMatchObject({
      effect: "ask",
      rule: "preset:supervised",
    });
    expect(decideByTool(layers, createEntry("t", { source: "files" }))).toBeUndefined();
    void decidePermission(layers, createSubject("t", { source: "network" }));
    expect(decide).toHaveBeenCalledOnce();
  });

  test("is not about tools that only say that they are of its source", () => {
    const policy = [about("allow")];
    const provenance = { adapter: "mcp", source: "files" };
    expect(decideEffect(policy, "t", { source: "api", provenance })).toBe("ask");
  });

  test("may answer later", async () => {
    const later = (answer: PolicyAnswer): PolicyInput => [
      { sources: "files", decide: async () => answer },
      { rules: [{ effect: "allow", tools: "t" }] },
    ];
    const decide = (policy: PolicyInput, name: string): unknown =>
      decidePermission(compilePolicy(policy), createSubject(name, { source: "files" }));
    expect(await decide(later(undefined), "t")).toMatchObject({ effect: "allow" });
    expect(await decide(later(undefined), "u")).toMatchObject({ rule: "preset:supervised" });
    expect(await decide(later("allow"), "u")).toMatchObject({ effect: "allow", rule: "function" });
    expect(await decide(later("deny"), "t")).toMatchObject({ effect: "deny", rule: "function" });
  });

  test("that throws denies calls of its source only", () => {
    const decide = (): never => {
      throw new Error("database down");
    };
    const policy: PolicyInput = [{ sources: "files", decide }, "autonomous"];
    expect(decideEffect(policy, "t", { source: "files" })).toBe("deny");
    expect(decideEffect(policy, "t", { source: "api" })).toBe("allow");
  });

  test("of several sources each decides about its own, and the strictest of one source wins", () => {
    const policy: PolicyInput = [
      about("allow", "files"),
      about("ask", "api"),
      about("deny", "api"),
    ];
    expect(decideEffect(policy, "t", { source: "files" })).toBe("allow");
    expect(decideEffect(policy, "t", { source: "api" })).toBe("deny");
    expect(decideEffect(policy, "t", { source: "other" })).toBe("ask");
  });

  test("behind others only narrows", () => {
    const own = { source: "files" };
    expect(decideEffect([{}, about("allow")], "t", own)).toBe("ask");
    expect(decideEffect(["autonomous", about(undefined)], "t", own)).toBe("allow");
    expect(decideEffect(["autonomous", about("ask")], "t", own)).toBe("ask");
    const run = narrowPolicy(compilePolicy(about("allow")), [about("ask"), { rules: [] }]);
    expect(decidePermission(run, createSubject("t", own))).toMatchObject({ effect: "ask" });
    const other = createSubject("t", { source: "api" });
    expect(decidePermission(run, other)).toMatchObject({ rule: "preset:supervised" });
  });

  test("is explained with what counts beside it", async () => {
    const layers = compilePolicy([
      { name: "workspace", ...about({ effect: "allow", reason: "The command only reads." }) },
      about(undefined),
      { rules: [{ effect: "ask", permissions: { kind: "spend" } }] },
      "autonomous",
    ]);
    expect(layers.map(({ name }) => name)).toEqual([
      "workspace",
      "policy[1]",
      "policy",
      "policy[3]",
    ]);
    const explained = async (source: string): Promise<readonly string[]> => {
      const subject = createSubject("t", { source, kind: "process", target: "ls" });
      const { decision, considered } = await explainPermission(layers, subject);
      expect(decision).toEqual(decidePermission(layers, subject));
      return considered.map(({ layer, rule, effect }) => `${layer} ${rule} ${effect}`);
    };
    expect(await explained("files")).toEqual([
      "workspace function allow",
      "policy[3] preset:autonomous allow",
    ]);
    expect(await explained("api")).toEqual([
      "policy preset:supervised ask",
      "policy[3] preset:autonomous allow",
    ]);
  });

  test("that matches no source is named", () => {
    const warnings = (sources: string | readonly string[]): readonly string[] =>
      new ToolExecutor({ registry, policy: [about("deny", sources)] })
        .configurationWarnings()
        .map(({ where, message }) => `${where} ${message}`);
    expect(warnings(["files", "gone"])).toEqual([]);
    expect(warnings("file")).toEqual([
      'policy[0].sources "file" matches none of the 2 sources; did you mean files?',
    ]);
  });

  test.each<[object, string]>([
    [{ decide: () => "allow" }, "policy[0].sources is no text: write one."],
    [{ sources: [], decide: () => "allow" }, "policy[0].sources is empty and matches nothing"],
    [{ sources: "a", decide: "allow" }, "policy[0].decide is no function: write one."],
    [{ sources: "a", decide: () => "allow", name: "" }, "policy[0].name is an empty text"],
    [{ source: "a", decide: () => "allow" }, "Did you mean sources?"],
  ])("%j is refused", (policy, message) => {
    expect(() => compilePolicy([policy as never])).toThrow(message);
  });
});

const input = { type: "object" } as const;
const tool = (name: string) =>
  defineTool({
    name,
    description: name,
    input,
    preflight: () => [{ kind: "process", target: "make", summary: "Make." }],
    execute: () => "done",
  });
const registry = new ToolRegistry([
  toolsSource("files", [tool("write_file")]),
  toolsSource("api", [tool("add_pet")]),
]);

describe("an executor with a policy for a source", () => {
  test("calls it, and the policies behind it for all others", async () => {
    const policy: PolicyInput = [about("allow"), { rules: [{ effect: "allow", tools: "add_*" }] }];
    const executor = new ToolExecutor({ registry, policy });
    for (const name of ["write_file", "add_pet"]) {
      const outcome = await executor.execute({ id: name, name, arguments: {} });
      expect(outcome.status).toBe("completed");
      expect((await executor.explain({ name, arguments: {} })).effect).toBe("allow");
    }
    const cautious = new ToolExecutor({ registry, policy: about("allow") });
    const waiting = await cautious.execute({ id: "1", name: "add_pet", arguments: {} });
    expect(waiting.status).toBe("interrupted");
  });

  test("reports what it is about, and the policy of all other tools", () => {
    const { policies } = new ToolExecutor({ registry, policy: about("allow", ["files", "x"]) });
    expect(policies.map(({ name, sources }) => ({ name, sources }))).toEqual([
      { name: "policy[0]", sources: ["files", "x"] },
      { name: "policy", sources: undefined },
    ]);
    expect(policies.map((layer) => layer.toJSON())).toEqual([undefined, { preset: "supervised" }]);
  });

  test("tries a rule as if it were in the policy behind it", async () => {
    const permission = { kind: "spend", target: "*" };
    const rule = { effect: "allow", tools: "add_*", permissions: { kind: "spend" } } as const;
    const executor = new ToolExecutor({ registry, policy: about("allow") });
    // The preset behind it stays implicit: calls of write_file are allowed as before.
    expect(await tryRule(executor, rule)).toMatchObject({
      layer: "policy",
      changes: [{ tool: "add_pet", permission, before: "ask", after: "allow" }],
      warnings: [],
    });
    expect((await tryRule(executor, { ...rule, effect: "deny", tools: "*" })).changes).toEqual([
      { tool: "add_pet", permission, before: "ask", after: "deny" },
      { tool: "write_file", permission, before: "allow", after: "deny" },
    ]);
  });
});
