import { describe, expect, test, vi } from "vitest";
import { compilePolicy, narrowPolicy } from "../../src/policy/compile-policy.ts";
import { decidePermission } from "../../src/policy/decision.ts";
import type { PolicyFunction, PolicyInput } from "../../src/contract/policy-definition.ts";
import { decided, decideEffect, isListed, createSubject } from "./subjects.ts";

describe("F0.26: one policy for listing and for running", () => {
  const tools = {
    unclassified: {},
    read: { annotations: { readOnlyHint: true } },
    write: { annotations: { destructiveHint: false } },
    destructive: { annotations: { destructiveHint: true } },
    pays: { annotations: { destructiveHint: false, access: { spend: true } } },
  };
  const outcomes = (policy: PolicyInput): Record<string, string> =>
    Object.fromEntries(
      Object.entries(tools).map(([name, circumstances]) => {
        const effect = decideEffect(policy, name, circumstances);
        expect(isListed(policy, name, circumstances)).toBe(effect !== "deny");
        return [name, effect];
      }),
    );

  test("F0.26: strict refuses the unclassified, the destructive and payments", () => {
    expect(outcomes("strict")).toEqual({
      unclassified: "deny",
      read: "allow",
      write: "ask",
      destructive: "deny",
      pays: "deny",
    });
  });

  test("F0.26: side effects and payments are denied one by one", () => {
    const rules = [{ effect: "deny", annotations: { readOnlyHint: false } }] as const;
    expect(outcomes({ preset: "autonomous", rules })).toMatchObject({
      read: "allow",
      write: "deny",
    });
    const payments = [{ effect: "deny", annotations: { access: { spend: true } } }] as const;
    expect(outcomes({ preset: "autonomous", rules: payments })).toMatchObject({
      write: "allow",
      pays: "deny",
    });
  });

  test("F0.26: approval is required by name", () => {
    const rules = [{ effect: "ask", ask: "always", tools: ["write", "pays"] }] as const;
    expect(outcomes({ preset: "autonomous", rules })).toMatchObject({
      read: "allow",
      write: "ask always",
      pays: "ask always",
    });
  });

  test("F0.26: a function decides by properties that are not data (a sandbox, the background)", () => {
    const sandboxed: PolicyFunction = ({ spec }) =>
      spec.metadata?.["sandbox"] === true ? undefined : "deny";
    expect(decideEffect(["autonomous", sandboxed], "t")).toBe("deny");
  });
});

describe("F0.27: lists of tools", () => {
  const only = (...tools: string[]): PolicyInput => ({
    default: "deny",
    rules: [{ effect: "allow", tools }],
  });
  const never = (...tools: string[]): PolicyInput => ({ rules: [{ effect: "deny", tools }] });
  const run = (...policies: PolicyInput[]): string[] => {
    const layers = policies.reduce<ReturnType<typeof compilePolicy>>(
      (layers, policy) => narrowPolicy(layers, policy),
      compilePolicy("autonomous"),
    );
    return ["a", "b", "c", "d"].filter((name) => {
      const subject = createSubject(name);
      const { effect } = decidePermission(layers, subject) as { effect: string };
      const visible = layers.every((layer) => layer.mayRun(subject.entry, undefined));
      expect(visible).toBe(effect !== "deny");
      return visible;
    });
  };

  test("F0.27: no list means all, a list of allows means only those, and a deny takes precedence", () => {
    expect(run()).toEqual(["a", "b", "c", "d"]);
    expect(run(only("a", "b"))).toEqual(["a", "b"]);
    expect(run(only("a", "b"), never("b"))).toEqual(["a"]);
    expect(run(never("b"), only("a", "b"))).toEqual(["a"]);
  });

  test("F0.27: a child inherits: denies are combined, and of allows only the common ones are left", () => {
    expect(run(never("a"), never("b"))).toEqual(["c", "d"]);
    expect(run(only("a", "b", "c"), only("b", "c", "d"))).toEqual(["b", "c"]);
    expect(run(only("a", "b", "c"), never("a"), only("a", "b", "d"), never("c"))).toEqual(["b"]);
  });
});

describe("F1.13: several policies are evaluated", () => {
  test("F1.13: the first deny ends the evaluation, and later ones are not called", () => {
    const after = vi.fn<PolicyFunction>(() => "ask");
    const policy: PolicyInput = [() => "ask", () => "deny", after];
    expect(decided(policy, "t")).toMatchObject({ effect: "deny", layer: "policy[1]" });
    expect(after).not.toHaveBeenCalled();
  });

  test("F1.13: otherwise one ask is enough, otherwise one allow, otherwise the fallback decides", () => {
    const rules = [
      { effect: "deny", permissions: { kind: "fs.*", target: "/etc/*" } },
      { effect: "ask", permissions: { kind: "fs.write" } },
      { effect: "allow", permissions: { kind: "fs.*", target: "/work/*" } },
    ] as const;
    const policy = { default: "deny", rules } as const;
    expect(decideEffect(policy, "t", { kind: "fs.write", target: "/etc/hosts" })).toBe("deny");
    expect(decideEffect(policy, "t", { kind: "fs.write", target: "/work/x" })).toBe("ask");
    expect(decideEffect(policy, "t", { kind: "fs.read", target: "/work/x" })).toBe("allow");
    expect(decideEffect(policy, "t", { kind: "fs.read", target: "/home/x" })).toBe("deny");
  });
});

describe("F4.13: tools by glob", () => {
  test("F4.13: a star matches separators, and a deny always takes precedence", () => {
    const policy = {
      default: "deny",
      rules: [
        { effect: "allow", tools: "github__*" },
        { effect: "deny", tools: "*__delete_*" },
      ],
    } as const;
    expect(decideEffect(policy, "github__issues__list")).toBe("allow");
    expect(decideEffect(policy, "github__issues__delete_all")).toBe("deny");
    expect(decideEffect(policy, "gitlab__list")).toBe("deny");
  });

  test("F4.13: an invalid glob is refused", () => {
    expect(() => compilePolicy({ rules: [{ effect: "deny", tools: "[a-" }] })).toThrow(
      'policy.rules[0].tools cannot be "[a-"',
    );
  });

  test("F4.13: a denied tool is hidden, and a call of it fails with the policy's denial", () => {
    const policy = { name: "tools", rules: [{ effect: "deny", tools: "x" }] } as const;
    expect(isListed(policy, "x")).toBe(false);
    expect(decided(policy, "x").reason).toBe("tools: rules[0] denies it");
  });
});
