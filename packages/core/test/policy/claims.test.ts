import { describe, expect, test } from "vitest";
import type { ToolAnnotations } from "@toolweave/core";
import type { PolicyRule } from "../../src/contract/policy-definition.ts";
import { decided, decideEffect } from "./subjects.ts";

type Annotations = NonNullable<PolicyRule["annotations"]>;
const allows = (annotations: Annotations): { default: "ask"; rules: PolicyRule[] } => ({
  default: "ask",
  rules: [{ effect: "allow", annotations }],
});
const denies = (annotations: Annotations): { default: "allow"; rules: PolicyRule[] } => ({
  default: "allow",
  rules: [{ effect: "deny", annotations }],
});

describe("an absent hint", () => {
  test.each([
    ["readOnlyHint", false],
    ["destructiveHint", true],
    ["idempotentHint", false],
    ["openWorldHint", true],
    ["needsApprovalHint", false],
  ] as const)("%s is %s", (hint, value) => {
    for (const trusted of [true, false]) {
      expect(decideEffect(denies({ [hint]: value }), "t", { trusted })).toBe("deny");
      expect(decideEffect(denies({ [hint]: !value }), "t", { trusted })).toBe("allow");
      expect(decideEffect(allows({ [hint]: value }), "t", { trusted })).toBe("allow");
      expect(decideEffect(allows({ [hint]: !value }), "t", { trusted })).toBe("ask");
    }
  });

  test("is read separately: a tool that only declares readOnlyHint false counts as destructive", () => {
    const annotations = { readOnlyHint: true };
    expect(decideEffect(denies({ destructiveHint: true }), "t", { annotations })).toBe("deny");
    const both = denies({ destructiveHint: true, readOnlyHint: false });
    expect(decideEffect(both, "t", { annotations })).toBe("allow");
  });

  test("is the same as an invalid one", () => {
    const annotations = { readOnlyHint: "yes", destructiveHint: 0 } as unknown as ToolAnnotations;
    expect(decideEffect(denies({ readOnlyHint: false }), "t", { annotations })).toBe("deny");
    expect(decideEffect(allows({ destructiveHint: false }), "t", { annotations })).toBe("ask");
  });
});

test("a hint that is neither true nor false is enough to ask or deny, and not to allow", () => {
  for (const odd of ["true", 1, {}]) {
    const annotations = { needsApprovalHint: odd } as unknown as ToolAnnotations;
    for (const trusted of [true, false]) {
      const odd = { annotations, trusted };
      expect(decideEffect(denies({ needsApprovalHint: true }), "t", odd)).toBe("deny");
      expect(decideEffect(allows({ needsApprovalHint: false }), "t", odd)).toBe("ask");
    }
    expect(decideEffect({ preset: "supervised" }, "t", { annotations })).toBe("ask");
  }
});

describe("a hint of an untrusted tool", () => {
  const untrusted = { trusted: false, annotations: { readOnlyHint: true, destructiveHint: false } };

  test("allows nothing", () => {
    expect(decideEffect(allows({ readOnlyHint: true }), "t", untrusted)).toBe("ask");
    expect(decideEffect(allows({ destructiveHint: false }), "t", untrusted)).toBe("ask");
    const trusted = { ...untrusted, trusted: true };
    expect(decideEffect(allows({ readOnlyHint: true }), "t", trusted)).toBe("allow");
  });

  test("avoids no deny", () => {
    expect(decideEffect(denies({ readOnlyHint: false }), "t", untrusted)).toBe("deny");
    expect(decideEffect(denies({ destructiveHint: true }), "t", untrusted)).toBe("deny");
  });

  test("avoids no deny in part: each hint is read as claimed and as not claimed", () => {
    const annotations = { readOnlyHint: true, openWorldHint: false };
    const policy = denies({ readOnlyHint: false, openWorldHint: false });
    expect(decideEffect(policy, "t", { trusted: false, annotations })).toBe("deny");
    expect(decideEffect(policy, "t", { trusted: true, annotations })).toBe("allow");
  });

  test("tightens", () => {
    const annotations = { needsApprovalHint: true };
    const policy = denies({ needsApprovalHint: true });
    expect(decideEffect(policy, "t", { trusted: false, annotations })).toBe("deny");
    expect(decideEffect(policy, "t", { trusted: false })).toBe("allow");
  });

  test("does not turn a default deny into an ask", () => {
    const policy = {
      preset: "strict",
      rules: [{ effect: "ask", annotations: { readOnlyHint: true } }],
    } as const;
    const annotations = { readOnlyHint: true, needsApprovalHint: true };
    expect(decideEffect(policy, "t", { trusted: false, annotations })).toBe("deny");
    expect(decideEffect(policy, "t", { trusted: true, annotations })).toBe("ask");
  });

  test("turns a default allow into an ask", () => {
    const policy = {
      preset: "autonomous",
      rules: [{ effect: "ask", annotations: { readOnlyHint: true } }],
    } as const;
    expect(decideEffect(policy, "t", untrusted)).toBe("ask");
  });
});

describe("the access of a tool", () => {
  const spends = { access: { spend: true, filesystem: "read" } } as const;

  test("is the declared one of a trusted tool", () => {
    expect(decideEffect(denies({ access: { spend: true } }), "t", { annotations: spends })).toBe(
      "deny",
    );
    expect(decideEffect(denies({ access: { spend: true } }), "t")).toBe("allow");
    const reads = allows({ access: { filesystem: ["none", "read"] } });
    expect(decideEffect(reads, "t", { annotations: spends })).toBe("allow");
    expect(decideEffect(reads, "t")).toBe("ask");
    const writes = denies({ access: { filesystem: "write" } });
    expect(decideEffect(writes, "t", { annotations: spends })).toBe("allow");
  });

  test("may be anything for an untrusted one, whatever it declares", () => {
    for (const annotations of [{}, { access: { spend: false } }]) {
      const untrusted = { trusted: false, annotations };
      expect(decideEffect(denies({ access: { spend: true } }), "t", untrusted)).toBe("deny");
      expect(decideEffect(allows({ access: { spend: false } }), "t", untrusted)).toBe("ask");
    }
  });
});

describe("the origin that an untrusted tool declares", () => {
  const provenance = { adapter: "openapi", origin: { method: "GET" } };

  test("allows nothing, and tightens", () => {
    const reads = {
      default: "ask",
      rules: [{ effect: "allow", provenance: { origin: { method: "GET" } } }],
    } as const;
    expect(decideEffect(reads, "t", { provenance, trusted: false })).toBe("ask");
    expect(decideEffect(reads, "t", { provenance, trusted: true })).toBe("allow");
    const none = {
      default: "allow",
      rules: [{ effect: "deny", provenance: { origin: { method: "GET" } } }],
    } as const;
    expect(decideEffect(none, "t", { provenance, trusted: false })).toBe("deny");
  });

  test("does not replace adapter and source, which the registry sets", () => {
    const ours = {
      default: "ask",
      rules: [{ effect: "allow", provenance: { adapter: "openapi", source: "api" } }],
    } as const;
    expect(decideEffect(ours, "t", { provenance, source: "api", trusted: false })).toBe("allow");
  });
});

describe("a call without a caller", () => {
  const rule = (effect: "allow" | "ask" | "deny"): PolicyRule => ({
    effect,
    tools: "t",
    callers: { roles: "guest" },
  });

  test("matches no allow for callers", () => {
    expect(decideEffect({ default: "ask", rules: [rule("allow")] }, "t")).toBe("ask");
  });

  test("matches every deny for callers, and the reason says so", () => {
    expect(decided({ default: "allow", rules: [rule("deny")] }, "t")).toMatchObject({
      effect: "deny",
      reason: "policy: rules[0] denies it (the call has no caller)",
    });
    expect(decideEffect({ default: "allow", rules: [rule("ask")] }, "t")).toBe("ask");
  });

  test("does not ask if it would be denied", () => {
    expect(decideEffect({ preset: "strict", rules: [rule("ask")] }, "t")).toBe("deny");
    const caller = { id: "u", roles: ["guest"] };
    expect(decideEffect({ preset: "strict", rules: [rule("ask")] }, "t", { caller })).toBe("ask");
  });
});

test("a tool that cannot be read is denied and hidden, without an exception", () => {
  const annotations = {
    get readOnlyHint(): boolean {
      throw new Error("boo");
    },
  };
  for (const policy of ["readOnly", denies({ readOnlyHint: false })] as const) {
    expect(decided(policy, "t", { annotations })).toMatchObject({
      effect: "deny",
      reason: "policy: the call cannot be judged",
      cause: new Error("boo"),
    });
  }
});
