import { describe, expect, test, vi } from "vitest";
import { compilePolicy, narrowPolicy } from "../../src/policy/compile-policy.ts";
import { decidePermission, explainPermission } from "../../src/policy/decision.ts";
import type {
  PolicyAnswer,
  PolicyFunction,
  PolicyInput,
  PolicyQuestion,
} from "../../src/contract/policy-definition.ts";
import { decided, decideEffect, createSubject } from "./subjects.ts";

const allow = { effect: "allow", tools: "t" } as const;
const ask = { effect: "ask", tools: "t" } as const;
const deny = { effect: "deny", tools: "t" } as const;

describe("policies in layers", () => {
  test("narrow each other: a later allow loosens nothing", () => {
    expect(decideEffect([{ rules: [deny] }, { rules: [allow] }], "t")).toBe("deny");
    expect(decideEffect([{ rules: [ask] }, { rules: [allow] }, "autonomous"], "t")).toBe("ask");
    expect(decideEffect([{ rules: [allow] }, { rules: [deny] }], "t")).toBe("deny");
    expect(decideEffect(["autonomous", "readOnly"], "t")).toBe("deny");
  });

  test("decide in a later layer only where they have a rule", () => {
    const organisation = { preset: "autonomous" } as const;
    expect(decideEffect([organisation, { rules: [{ ...deny, tools: "other" }] }], "t")).toBe(
      "allow",
    );
    expect(decideEffect([organisation, {}], "t")).toBe("allow");
    expect(decideEffect([organisation, { default: "ask" }], "t")).toBe("ask");
  });

  test("are named, and of the strictest the first is named", () => {
    const two = [{ name: "organisation", rules: [ask] }, { rules: [ask] }, { rules: [allow] }];
    expect(decided(two as PolicyInput, "t")).toMatchObject({ layer: "organisation" });
    expect(decided(["autonomous", "autonomous", { rules: [ask] }], "t")).toMatchObject({
      layer: "policy[2]",
      rule: "rules[0]",
    });
    expect(decided(["autonomous", "autonomous"], "t")).toMatchObject({ layer: "policy" });
  });

  test("keep an ask that no grant satisfies, in whichever layer it is", () => {
    const always = { ...ask, ask: "always" } as const;
    expect(decideEffect([{ rules: [ask] }, { rules: [always] }], "t")).toBe("ask always");
    expect(decideEffect([{ rules: [always] }, { rules: [ask] }], "t")).toBe("ask always");
  });

  test("are added to others without changing them", () => {
    const project = compilePolicy({ rules: [allow] });
    const child = narrowPolicy(project, [{ rules: [ask] }, "readOnly"]);
    expect(child.map(({ name }) => name)).toEqual(["policy", "policy[1]", "policy[2]"]);
    expect(project).toHaveLength(1);
    expect(decidePermission(project, createSubject("t"))).toMatchObject({ effect: "allow" });
    expect(decidePermission(child, createSubject("t"))).toMatchObject({ effect: "deny" });
    expect(narrowPolicy(project, [])).toEqual(project);
  });

  test("return a shared decision as one frozen object", () => {
    const layers = compilePolicy(["supervised", { rules: [ask] }]);
    const subject = createSubject("t");
    const decision = decidePermission(layers, subject);
    expect(decidePermission(layers, subject)).toBe(decision);
    expect(Object.isFrozen(decision)).toBe(true);
  });

  test("report whether the caller makes a difference", () => {
    const [plain, byCaller, preset, host] = compilePolicy([
      { rules: [deny] },
      { rules: [{ ...deny, callers: { roles: "guest" } }] },
      "strict",
      () => "allow",
    ]);
    expect(plain?.dependsOnCaller).toBe(false);
    expect(byCaller?.dependsOnCaller).toBe(true);
    expect(preset?.dependsOnCaller).toBe(false);
    expect(host?.dependsOnCaller).toBe(false);
  });
});

const fails = (): never => {
  throw new Error("database down");
};

describe("a policy function", () => {
  const decide = (answer: (question: PolicyQuestion) => unknown, base?: PolicyInput): unknown =>
    decidePermission(
      compilePolicy((base === undefined ? [answer] : [base, answer]) as PolicyInput),
      createSubject("t", { annotations: { readOnlyHint: true }, arguments: { deep: { a: 1 } } }),
    );

  test("receives the call with its final arguments, which it cannot change", () => {
    const questions: PolicyQuestion[] = [];
    decide((question) => {
      questions.push(question);
      (question.arguments["deep"] as { a: number }).a = 2;
    });
    expect(questions[0]).toMatchObject({
      spec: { name: "t" },
      trusted: true,
      source: "elsewhere",
      arguments: { deep: { a: 1 } },
    });
    expect(questions[0]).not.toHaveProperty("permission");
    expect(questions[0]).not.toHaveProperty("caller");
  });

  test("receives each permission, and its caller", async () => {
    const questions: PolicyQuestion[] = [];
    const layers = compilePolicy((question) => void questions.push(question));
    const caller = { id: "u" };
    await decidePermission(layers, createSubject("t", { kind: "spend", target: "3 EUR", caller }));
    expect(questions[0]).toMatchObject({ permission: { kind: "spend", target: "3 EUR" }, caller });
  });

  test.each<[PolicyAnswer, object]>([
    ["allow", { effect: "allow", reason: "policy: the function allows it" }],
    ["ask", { effect: "ask", reason: "policy: the function asks first" }],
    ["deny", { effect: "deny", reason: "policy: the function denies it" }],
    [
      { effect: "deny", reason: "Not on Fridays." },
      { effect: "deny", reason: "Not on Fridays." },
    ],
    [
      { effect: "ask", ask: "always" },
      { effect: "ask", ask: "always" },
    ],
  ])("answers %j, at once or later", async (answer, decision) => {
    expect(decide(() => answer)).toMatchObject({ ...decision, rule: "function", layer: "policy" });
    const later = decide(() => Promise.resolve(answer));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(decide(() => answer));
  });

  test("without a decision falls back to supervised, or to the layers before", async () => {
    expect(decide(() => undefined)).toMatchObject({ effect: "allow", rule: "preset:supervised" });
    expect(decide(() => undefined, { default: "ask" })).toMatchObject({ effect: "ask" });
    expect(await decide(async () => undefined, "autonomous")).toMatchObject({
      rule: "preset:autonomous",
    });
  });

  test("alone may allow a call that supervised asks about; after others it may not", () => {
    const mayChange = createSubject("t");
    const yes = (): PolicyAnswer => "allow";
    expect(decidePermission(compilePolicy(yes), mayChange)).toMatchObject({ effect: "allow" });
    expect(decidePermission(compilePolicy(["supervised", yes]), mayChange)).toMatchObject({
      effect: "ask",
    });
  });

  test.each<[string, () => unknown]>([
    ["throws", fails],
    ["rejects", () => Promise.reject(new Error("database down"))],
    ["answers with a value that only looks like a promise", () => new Proxy({}, { get: fails })],
    ["answers true", () => true],
    ["answers null", () => null],
    ["answers later with an unknown word", async () => "yes"],
    ["answers with no effect", () => ({ reason: "because" })],
    ["returns an invalid reason", () => ({ effect: "allow", reason: 5 })],
    ["always allows", () => ({ effect: "allow", ask: "always" })],
    ["asks sometimes", () => ({ effect: "ask", ask: "sometimes" })],
  ])("that %s denies, and only the host receives the reason", async (_, answer) => {
    const decision = await decide(answer, "autonomous");
    expect(decision).toMatchObject({
      effect: "deny",
      reason: "policy[1]: the function could not decide",
      rule: "function",
      cause: expect.any(Error),
    });
  });

  test("is not called if an earlier layer has denied", () => {
    const answer = vi.fn<PolicyFunction>(() => "allow");
    decide(answer, { default: "deny" });
    expect(answer).not.toHaveBeenCalled();
  });

  test("that answers later ends the decision with a deny, or passes it on", async () => {
    const after = vi.fn<PolicyFunction>(() => "ask");
    const layers = (answer: PolicyAnswer): PolicyInput => ["autonomous", async () => answer, after];
    const subject = createSubject("t");
    expect(await decidePermission(compilePolicy(layers("deny")), subject)).toMatchObject({
      effect: "deny",
      layer: "policy[1]",
    });
    expect(after).not.toHaveBeenCalled();
    expect(await decidePermission(compilePolicy(layers("allow")), subject)).toMatchObject({
      effect: "ask",
      layer: "policy[2]",
    });
  });
});

describe("a policy as data", () => {
  test("is returned as it was given", () => {
    const definition = {
      name: "project",
      preset: "strict",
      rules: [{ id: "x", effect: "deny", tools: ["a", "b_*"], match: ["a", { tool: "b_c" }] }],
    } as const;
    const layers = compilePolicy([definition, "readOnly", { rules: [ask] }]);
    expect(JSON.parse(JSON.stringify(layers))).toEqual([definition, "readOnly", { rules: [ask] }]);
  });

  test("compiled again from JSON decides the same", () => {
    const layers = compilePolicy([
      { rules: [allow, { ...deny, callers: { roles: "guest" } }] },
      { name: "run", rules: [{ ...ask, ask: "always", permissions: { target: "POST *" } }] },
    ]);
    const again = compilePolicy(JSON.parse(JSON.stringify(layers)));
    for (const subject of [
      createSubject("t"),
      createSubject("t", { target: "POST https://x", caller: { id: "u" } }),
      createSubject("u", { caller: { id: "u", roles: ["guest"] } }),
    ]) {
      expect(decidePermission(again, subject)).toEqual(decidePermission(layers, subject));
    }
  });

  test("contains its fallback, so that it means the same in any place", () => {
    const [first] = compilePolicy({ rules: [deny] });
    expect(first?.toJSON()).toEqual({ preset: "supervised", rules: [deny] });
  });

  test("is a copy: later changes by the host have no effect", () => {
    const tools = ["t"];
    const rule = { effect: "deny" as "deny" | "allow", tools };
    const definition = { default: "allow" as const, rules: [rule] };
    const layers = compilePolicy(definition);
    rule.effect = "allow";
    tools[0] = "other";
    definition.rules.length = 0;
    expect(decidePermission(layers, createSubject("t"))).toMatchObject({ effect: "deny" });
    expect(layers[0]?.toJSON()).toEqual({
      default: "allow",
      rules: [{ effect: "deny", tools: ["t"] }],
    });
  });

  test("does not exist for a function", () => {
    const layers = compilePolicy([{ rules: [deny] }, () => "ask"]);
    expect(layers[1]?.toJSON()).toBeUndefined();
    expect(() => compilePolicy(JSON.parse(JSON.stringify(layers)))).toThrow(/policy\[1\] is no/);
  });
});

describe("an explanation", () => {
  test("names the decision and all evaluated rules, in order", async () => {
    const layers = compilePolicy([
      { name: "organisation", preset: "autonomous", rules: [allow, { ...deny, tools: "other" }] },
      { name: "project", rules: [{ ...deny, id: "no" }, ask] },
      () => "ask",
      { rules: [] },
      "readOnly",
    ]);
    const { decision, considered } = await explainPermission(layers, createSubject("t"));
    expect(decision).toMatchObject({ effect: "deny", rule: "no", layer: "project" });
    expect(considered.map(({ layer, rule, effect }) => `${layer} ${rule} ${effect}`)).toEqual([
      "organisation rules[0] allow",
      "project no deny",
      "project rules[1] ask",
      "policy[2] function ask",
      "policy[4] preset:readOnly deny",
    ]);
  });

  test("has the defaults where no rule matches", async () => {
    const layers = compilePolicy(["supervised", { default: "ask" }, () => undefined]);
    const { considered } = await explainPermission(layers, createSubject("t"));
    expect(considered.map(({ rule }) => rule)).toEqual(["preset:supervised", "default"]);
  });

  test("of a subject that cannot be evaluated is a denial", async () => {
    const layers = compilePolicy("readOnly");
    const entry = { ...createSubject("t").entry, tool: {} as never };
    const { decision } = await explainPermission(layers, { ...createSubject("t"), entry });
    expect(decision).toMatchObject({ effect: "deny" });
  });
});
