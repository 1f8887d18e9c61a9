import { describe, expect, test } from "vitest";
import { rename } from "@toolweave/core";
import { decidePermission, type Decision } from "../../src/policy/decision.ts";
import type { PolicyRule } from "../../src/contract/policy-definition.ts";
import {
  decided,
  decideEffect,
  createEntry,
  createSubject,
  type Circumstances,
} from "./subjects.ts";
import { compilePolicy } from "../../src/policy/compile-policy.ts";
import { foreignTool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

const read = { readOnlyHint: true };

describe("a rule", () => {
  const deletes = { effect: "deny", tools: "delete_*" } as const;

  test("applies to the tools that one of its globs matches", () => {
    const policy = {
      preset: "autonomous",
      rules: [{ effect: "deny", tools: ["delete_*", "drop", "x?z"] }],
    } as const;
    const effects = ["delete_all", "drop", "xyz", "dropped", "undelete_all"].map((name) =>
      decideEffect(policy, name),
    );
    expect(effects).toEqual(["deny", "deny", "deny", "allow", "allow"]);
  });

  test("leaves other tools to the preset, which is supervised if none is named", () => {
    expect(decideEffect({ rules: [deletes] }, "list")).toBe("ask");
    expect(decideEffect({ preset: "autonomous", rules: [deletes] }, "list")).toBe("allow");
    expect(decideEffect({ preset: "strict", rules: [deletes] }, "list")).toBe("deny");
    expect(decided({ rules: [deletes] }, "list")).toEqual({
      effect: "ask",
      reason: "supervised: the tool may change something",
      byDefault: true,
      rule: "preset:supervised",
      layer: "policy",
    });
  });

  test.each(["deny", "ask", "allow"] as const)("sets its own default: %s", (effect) => {
    expect(decided({ default: effect, rules: [deletes] }, "list")).toMatchObject({
      effect,
      rule: "default",
      layer: "policy",
    });
  });

  test("that allows may permit a call that the preset denies", () => {
    const policy = { preset: "strict", rules: [{ effect: "allow", tools: "deploy" }] } as const;
    expect(decideEffect(policy, "deploy")).toBe("allow");
    expect(decideEffect(policy, "other")).toBe("deny");
  });

  test("that asks permits it once a person has approved", () => {
    const policy = { preset: "strict", rules: [{ effect: "ask", tools: "deploy" }] } as const;
    expect(decideEffect(policy, "deploy")).toBe("ask");
  });

  test("is named by id or position, with its reason", () => {
    const rules: PolicyRule[] = [
      { effect: "ask", tools: "a" },
      { id: "no-deletes", effect: "deny", tools: "delete_*", reason: "Nothing is deleted here." },
    ];
    expect(decided({ name: "project", rules }, "a")).toEqual({
      effect: "ask",
      reason: "project: rules[0] asks first",
      remedy:
        'The rule rules[0] of the policy "project" decides: a rule that allows does not outweigh it.',
      rule: "rules[0]",
      layer: "project",
    });
    expect(decided({ rules }, "delete_x")).toEqual({
      effect: "deny",
      reason: "Nothing is deleted here.",
      remedy:
        'The rule no-deletes of the policy "policy" decides: a rule that allows does not outweigh it.',
      rule: "no-deletes",
      layer: "policy",
    });
  });

  test("without conditions applies to everything", () => {
    expect(decideEffect({ preset: "autonomous", rules: [{ effect: "ask" }] }, "any")).toBe("ask");
    const frozen = { rules: [{ effect: "deny" }, { effect: "allow", tools: "*" }] } as const;
    expect(decideEffect(frozen, "any", { kind: "fs.read" })).toBe("deny");
  });

  test("needs every one of its conditions", () => {
    const rule = {
      effect: "deny",
      tools: "write_*",
      provenance: { adapter: "mcp" },
      annotations: { idempotentHint: true },
      permissions: { kind: "fs.write" },
      callers: { roles: "guest" },
    } as const;
    const all = {
      provenance: { adapter: "mcp" },
      annotations: { idempotentHint: true },
      kind: "fs.write",
      caller: { id: "u", roles: ["guest"] },
    };
    const policy = { preset: "autonomous", rules: [rule] } as const;
    expect(decideEffect(policy, "write_x", all)).toBe("deny");
    for (const but of [
      { provenance: { adapter: "openapi" } },
      { annotations: {} },
      { kind: "fs.read" },
      { caller: { id: "u", roles: ["admin"] } },
    ]) {
      expect(decideEffect(policy, "write_x", { ...all, ...but })).toBe("allow");
    }
    expect(decideEffect(policy, "read_x", all)).toBe("allow");
  });
});

describe("a path that may not lead where it seems to", () => {
  const drafts = {
    effect: "allow",
    permissions: { kind: "fs.write", target: "drafts/*" },
  } as const;
  const letters = { effect: "deny", permissions: { kind: "fs.*", target: "letters/*" } } as const;

  test.each([
    "drafts/../letters/a",
    "drafts/./a",
    "./drafts/a",
    "drafts//a",
    "drafts\\..\\letters",
  ])("is not allowed by its prefix: %s", (target) => {
    const effect = (path: string): string =>
      decideEffect({ rules: [drafts] }, "write", { kind: "fs.write", target: path });
    expect([effect("drafts/a..b"), effect(target)]).toEqual(["allow", "ask"]);
  });

  test("does not avoid a deny", () => {
    const policy = { preset: "autonomous", rules: [letters] } as const;
    const target = "drafts/../letters/a";
    expect(decideEffect(policy, "write", { kind: "fs.write", target })).toBe("deny");
    // A text that is not a path may look like this.
    expect(decideEffect(policy, "send", { kind: "network", target: "GET http://a/.." })).toBe(
      "allow",
    );
  });
});

describe("an action with other targets", () => {
  const process = { kind: "process", target: "/bin/rm x" } as const;
  const rule = (effect: "allow" | "ask" | "deny", unknown?: "ask" | "allow"): PolicyRule => ({
    effect,
    permissions: { kind: "process", target: "rm *", ...(unknown === undefined ? {} : { unknown }) },
  });
  const decide = (
    { effect, unknown }: { effect: "allow" | "ask" | "deny"; unknown?: "ask" | "allow" },
    targets: Pick<Circumstances, "otherTargets" | "possibleTargets" | "kind">,
  ): string =>
    decideEffect(
      { default: effect === "allow" ? "ask" : "allow", rules: [rule(effect, unknown)] },
      "run",
      { ...process, ...targets },
    );

  test("is denied, or asks, by one of them, and is not allowed by it", () => {
    const otherTargets = ["/usr/bin/rm x", "rm x"];
    expect(decide({ effect: "deny" }, { otherTargets })).toBe("deny");
    expect(decide({ effect: "ask" }, { otherTargets })).toBe("ask");
    expect(decide({ effect: "allow" }, { otherTargets })).toBe("ask");
    expect(decide({ effect: "deny" }, { otherTargets: ["ls"] })).toBe("allow");
    expect(decide({ effect: "deny" }, { otherTargets, kind: "network" })).toBe("allow");
  });

  test.each([["any" as const], [["ls", "rm x"]]])(
    "that it may have (%j) asks by a rule that denies, unless that says otherwise",
    (possibleTargets) => {
      expect(decide({ effect: "deny" }, { possibleTargets })).toBe("ask");
      expect(decide({ effect: "deny", unknown: "allow" }, { possibleTargets })).toBe("allow");
      expect(decide({ effect: "ask" }, { possibleTargets })).toBe("ask");
      expect(decide({ effect: "allow" }, { possibleTargets })).toBe("ask");
      expect(decide({ effect: "deny" }, { possibleTargets, kind: "network" })).toBe("allow");
    },
  );

  test("that it may have, but for that of the rule, is allowed", () => {
    expect(decide({ effect: "deny" }, { possibleTargets: ["ls"] })).toBe("allow");
    expect(decide({ effect: "deny" }, { possibleTargets: [] })).toBe("allow");
  });
});

describe("of several rules that match", () => {
  const specific = { effect: "allow", tools: "delete_draft" } as const;
  const broad = { effect: "deny", tools: "*" } as const;
  const asks = { effect: "ask", tools: "delete_*" } as const;
  const always = { effect: "ask", ask: "always", tools: "delete_*" } as const;

  test("AP10: a broad deny takes precedence over a specific allow, in any order", () => {
    for (const rules of [
      [specific, broad],
      [broad, specific],
    ]) {
      expect(decideEffect({ rules }, "delete_draft")).toBe("deny");
    }
  });

  test("AP10: an ask takes precedence over an allow, and one that always asks over an ordinary one", () => {
    expect(decideEffect({ rules: [specific, asks] }, "delete_draft")).toBe("ask");
    expect(decideEffect({ rules: [asks, always, specific] }, "delete_draft")).toBe("ask always");
    expect(decideEffect({ rules: [always, asks] }, "delete_draft")).toBe("ask always");
    expect(decideEffect({ rules: [always, broad] }, "delete_draft")).toBe("deny");
  });

  test("the first of the strictest is named", () => {
    const rules = [specific, { ...asks, id: "one" }, { ...asks, id: "two" }];
    expect(decided({ rules }, "delete_draft").rule).toBe("one");
  });
});

describe("AP13: rules know a tool by its name in the registry", () => {
  const decide = (rules: readonly PolicyRule[], source: TestSource): string[] => {
    const layers = compilePolicy({ preset: "autonomous", rules });
    return rename(source, { rm: "remove_file" })
      .tools()
      .map((tool) => {
        const entry = { tool, source: "files", trusted: true };
        const subject = { entry, permission: undefined, caller: undefined, arguments: {} };
        return (decidePermission(layers, subject) as Decision).effect;
      });
  };
  const source = new TestSource("files", [
    foreignTool("rm", { spec: { provenance: { adapter: "mcp", origin: { tool: "rm" } } } }),
  ]);

  test("and not by its original name", () => {
    expect(decide([{ effect: "deny", tools: "remove_file" }], source)).toEqual(["deny"]);
    expect(decide([{ effect: "deny", tools: "rm" }], source)).toEqual(["allow"]);
  });

  test("while its original name stays in its provenance, whatever its name in the registry", () => {
    const rule = { effect: "deny", provenance: { origin: { tool: "rm" } } } as const;
    expect(decide([rule], source)).toEqual(["deny"]);
  });
});

describe("a condition on provenance", () => {
  const operation = (method: string, path: string): object => ({
    source: "https://api.example/openapi.json",
    provenance: {
      adapter: "openapi",
      source: "https://api.example/openapi.json",
      origin: { method, path, operationId: "x" },
    },
  });
  const policy = (provenance: PolicyRule["provenance"]): { rules: PolicyRule[] } => ({
    rules: [{ effect: "deny", provenance: provenance as object }],
  });

  test("matches adapter, source, and the origin of the tool", () => {
    const admin = policy({ adapter: "openapi", origin: { method: "DELETE", path: "/admin/*" } });
    expect(decideEffect(admin, "t", operation("DELETE", "/admin/users/{id}"))).toBe("deny");
    expect(decideEffect(admin, "t", operation("GET", "/admin/users/{id}"))).toBe("ask");
    expect(decideEffect(admin, "t", operation("DELETE", "/users/{id}"))).toBe("ask");
    const host = policy({ source: "https://api.example/*" });
    expect(decideEffect(host, "t", operation("GET", "/"))).toBe("deny");
    expect(decideEffect(host, "t")).toBe("ask");
  });

  test("does not match a field that the tool does not have", () => {
    const odd = { provenance: { adapter: "mcp", origin: { method: 7 } } };
    expect(decideEffect(policy({ origin: { method: "*" } }), "t", odd)).toBe("ask");
    expect(decideEffect(policy({ origin: { toString: "*" } }), "t", odd)).toBe("ask");
    expect(decideEffect(policy({ origin: { method: "*" } }), "t")).toBe("ask");
  });

  test("matches the source by the registry's id and, to tighten, by the tool's own claim", () => {
    const handPicked = { source: "host", provenance: { adapter: "mcp", source: "github" } };
    expect(decideEffect(policy({ source: "host" }), "t", handPicked)).toBe("deny");
    expect(decideEffect(policy({ source: "github" }), "t", handPicked)).toBe("deny");
    const allows = { rules: [{ effect: "allow", provenance: { source: "github" } }] } as const;
    expect(decideEffect(allows, "t", handPicked)).toBe("ask");
    expect(decideEffect(allows, "t", { source: "github" })).toBe("allow");
    const asks = {
      preset: "readOnly",
      rules: [{ effect: "ask", provenance: { source: "github" } }],
    } as const;
    const reads = { ...handPicked, annotations: read };
    expect(decideEffect(asks, "t", reads)).toBe("ask");
    expect(decideEffect(asks, "t", { ...reads, kind: "process" })).toBe("deny");
  });
});

describe("a condition on permissions", () => {
  test("applies to the permissions of a call, and not to the call", () => {
    const policy = {
      preset: "autonomous",
      rules: [{ effect: "deny", permissions: { kind: "fs.*", target: "/etc/*" } }],
    } as const;
    expect(decideEffect(policy, "t", { kind: "fs.write", target: "/etc/passwd" })).toBe("deny");
    expect(decideEffect(policy, "t", { kind: "fs.read", target: "/home/x" })).toBe("allow");
    expect(decideEffect(policy, "t", { kind: "process", target: "/etc/x" })).toBe("allow");
    expect(decideEffect(policy, "t")).toBe("allow");
  });

  test("if absent, makes a rule apply to both", () => {
    const policy = { rules: [{ effect: "allow", tools: "git" }] } as const;
    expect(decideEffect(policy, "git")).toBe("allow");
    expect(decideEffect(policy, "git", { kind: "process", target: "git push" })).toBe("allow");
  });

  test("can be beside an allow of the complete tool", () => {
    const rules = [
      { effect: "allow", tools: "git" },
      { effect: "deny", permissions: { target: "* --force" } },
    ] as const;
    const layers = compilePolicy([{ rules }, { rules }]);
    const effects = [undefined, "git push", "git push --force", "git push"].map((target) => {
      const circumstances = target === undefined ? {} : { kind: "process", target };
      return (decidePermission(layers, createSubject("git", circumstances)) as Decision).effect;
    });
    expect(effects).toEqual(["allow", "allow", "deny", "allow"]);
  });

  test("decides one permission and leaves the next to the preset", () => {
    const policy = { rules: [{ effect: "allow", permissions: { kind: "process" } }] } as const;
    expect(decideEffect(policy, "t", { annotations: read, kind: "process" })).toBe("allow");
    expect(decideEffect(policy, "t", { annotations: read, kind: "spend" })).toBe("ask");
    expect(decideEffect(policy, "t", { annotations: read })).toBe("allow");
  });

  test("tightens for an invalid permission, and loosens nothing", () => {
    const bad = (policy: Parameters<typeof compilePolicy>[0]): unknown =>
      decidePermission(compilePolicy(policy), {
        entry: createEntry("t"),
        permission: { kind: 1, target: null, summary: "" } as never,
        caller: undefined,
        arguments: {},
      });
    const rule = { permissions: { kind: "spend" } };
    expect(bad({ default: "allow", rules: [{ effect: "deny", ...rule }] })).toMatchObject({
      effect: "deny",
    });
    expect(bad({ default: "ask", rules: [{ effect: "allow", ...rule }] })).toMatchObject({
      effect: "ask",
    });
  });
});

describe("a condition on callers", () => {
  const policy = (callers: PolicyRule["callers"]): { rules: PolicyRule[] } => ({
    rules: [{ effect: "allow", callers: callers as object }],
  });

  test("matches the caller's id, any of its roles, and the agent", () => {
    const caller = { id: "user:7", roles: ["dev", "ops"], agent: "coder" };
    for (const [condition, effect] of [
      [{ id: "user:*" }, "allow"],
      [{ id: "service:*" }, "ask"],
      [{ roles: ["ops", "admin"] }, "allow"],
      [{ roles: "admin" }, "ask"],
      [{ agent: "coder" }, "allow"],
      [{ id: "user:7", roles: "dev", agent: "other" }, "ask"],
    ] as const) {
      expect(decideEffect(policy(condition), "t", { caller })).toBe(effect);
    }
  });

  test("matches no role and no agent if the caller has none", () => {
    const caller = { id: "u" };
    expect(decideEffect(policy({ roles: "*" }), "t", { caller })).toBe("ask");
    expect(decideEffect(policy({ agent: "*" }), "t", { caller })).toBe("ask");
    const denies = { default: "allow", rules: [{ effect: "deny", callers: { roles: "*" } }] };
    expect(decideEffect(denies as never, "t", { caller })).toBe("allow");
  });
});
