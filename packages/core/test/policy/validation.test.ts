import { describe, expect, test } from "vitest";
import { ToolError } from "@toolweave/core";
import { compilePolicy, narrowPolicy } from "../../src/policy/compile-policy.ts";
import { decidePermission } from "../../src/policy/decision.ts";
import type { PolicyRule } from "../../src/contract/policy-definition.ts";
import { createSubject } from "./subjects.ts";

function refusal(policy: unknown): string {
  try {
    compilePolicy(policy as never);
  } catch (error) {
    if (ToolError.is(error) && error.code === "invalid_configuration") return error.message;
    throw error;
  }
  return "accepted";
}

const withRule = (rule: object): string => refusal({ rules: [{ effect: "deny", ...rule }] });

describe("an invalid policy is refused", () => {
  test.each<[unknown, string]>([
    ["yolo", '"yolo" is no policy: use readOnly, supervised, autonomous or strict.'],
    [7, "policy is no policy: give a preset, { rules: […] }, a function, or a list of them."],
    [null, "policy is no policy: give a preset, { rules: […] }, a function, or a list of them."],
    [[], "policy is an empty list: leave it out for supervised."],
    [["strict", null], "policy[1] is no policy: give a preset, { rules: […] }, a function, or"],
    [[["strict"]], "policy[0] is no policy"],
    [{ rule: [] }, 'policy: unknown option "rule". Did you mean rules?'],
    [{ preset: "readonly" }, 'policy.preset cannot be "readonly": did you mean readOnly?'],
    [{ default: "block" }, 'policy.default cannot be "block": use allow, ask, deny.'],
    [{ preset: "strict", default: "ask" }, "policy has a preset and a default: write one of them."],
    [{ name: "" }, "policy.name is an empty text"],
    [{ rules: {} }, "policy.rules is no list: write [{ effect, tools, … }]."],
    [{ rules: ["deny"] }, "policy.rules[0] takes an object"],
    [{ rules: [{ tools: "a" }] }, "policy.rules[0].effect is missing: write allow, ask, deny."],
    [
      { rules: [{ effect: "dney" }] },
      'policy.rules[0].effect cannot be "dney": did you mean deny?',
    ],
    [{ rules: [{ effect: { toString: 1 } }] }, "policy.rules[0].effect is missing"],
    [Promise.resolve("strict"), "policy is no plain JSON: write it as data."],
    [new Map(), "policy is no plain JSON: write it as data."],
  ])("%j: %s", (policy, message) => {
    expect(refusal(policy)).toContain(message);
  });

  test("by the host's name for it", () => {
    const layers = compilePolicy("strict");
    expect(() => narrowPolicy(layers, { rules: [{ effect: "no" } as never] }, "narrow")).toThrow(
      'narrow.rules[0].effect cannot be "no"',
    );
  });
});

describe("an invalid rule is refused, with its place and a correction", () => {
  test.each<[object, string]>([
    [{ tool: "x" }, 'policy.rules[0]: unknown option "tool". Did you mean tools?'],
    [{ tools: [] }, "policy.rules[0].tools is empty and matches nothing: leave it out."],
    [{ tools: "" }, "policy.rules[0].tools is an empty text: write one, or leave it out."],
    [{ tools: ["a", 7] }, "policy.rules[0].tools[1] is no text: write one."],
    [{ tools: /^delete/ }, "policy.rules[0].tools is no plain JSON: write it as data."],
    [{ tools: undefined }, "policy.rules[0].tools is undefined: leave it out, or give it a value."],
    [{ tools: () => true }, "policy.rules[0].tools is no plain JSON"],
    [{ tools: "fs/*" }, 'policy.rules[0].tools cannot be "fs/*": no tool is named so: names are'],
    [{ tools: "{a,b}" }, 'policy.rules[0].tools cannot be "{a,b}"'],
    [{ tools: "!a" }, 'policy.rules[0].tools cannot be "!a"'],
    [{ tools: "9*" }, 'policy.rules[0].tools cannot be "9*"'],
    [{ tools: `${"x".repeat(65)}*` }, "64 at most"],
    [{ reason: 7 }, "policy.rules[0].reason is no text: write one."],
    [{ id: "" }, "policy.rules[0].id is an empty text"],
    [{ ask: "always" }, 'policy.rules[0].ask goes with effect "ask" only.'],
    [{ effect: "ask", ask: "allways" }, 'ask cannot be "allways": did you mean always?'],
    [{ effect: "allow" }, "policy.rules[0] allows everything: say what it is for (tools, provena"],
    [{ provenance: {} }, "policy.rules[0].provenance is empty: write adapter, source, origin."],
    [{ provenance: "mcp" }, "policy.rules[0].provenance is no object"],
    [{ provenance: { adaptor: "mcp" } }, 'unknown option "adaptor". Did you mean adapter?'],
    [{ provenance: { origin: {} } }, "policy.rules[0].provenance.origin is empty"],
    [{ provenance: { origin: { method: 1 } } }, "provenance.origin.method is no text"],
    [{ annotations: {} }, "policy.rules[0].annotations is empty"],
    [
      { annotations: { readonlyHint: 1 } },
      'unknown option "readonlyHint". Did you mean readOnlyHint?',
    ],
    [{ annotations: { readOnlyHint: "true" } }, "readOnlyHint is neither true nor false."],
    [{ annotations: { access: {} } }, "policy.rules[0].annotations.access is empty"],
    [{ annotations: { access: { spend: 1 } } }, "access.spend is neither true nor false."],
    [{ annotations: { access: { filesystem: "wirte" } } }, "did you mean write?"],
    [{ permissions: {} }, "policy.rules[0].permissions is empty: write kind, target, unknown."],
    [{ permissions: { kind: "fs.wirte" } }, 'kind cannot be "fs.wirte": no permission is of that'],
    [{ permissions: { kind: ["spend", "pay"] } }, "permissions.kind[1] cannot be"],
    [{ permissions: { kind: "custom" } }, "no permission is of that kind: did you mean custom.…?"],
    [{ permissions: { kind: "net?" } }, "no permission is of that kind"],
    [{ permissions: { target: "" } }, "permissions.target is an empty text"],
    [{ permissions: { unknown: "deny" } }, 'permissions.unknown cannot be "deny": '],
    [{ callers: {} }, "policy.rules[0].callers is empty: write id, roles, agent."],
    [{ callers: { role: "x" } }, 'unknown option "role". Did you mean roles?'],
    [{ callers: { roles: [] } }, "policy.rules[0].callers.roles is empty and matches nothing"],
  ])("%j", (rule, message) => {
    expect(withRule(rule)).toContain(message);
  });

  test.each([
    { permissions: { kind: ["fs.*", "custom.pay", "c*", "*.read", "net*", "*"] } },
    { tools: ["*", "?_x", "a-b", "get_*_by_*"] },
    { effect: "ask" },
    {},
  ])("%j is valid", (rule) => {
    expect(withRule(rule)).toBe("accepted");
  });

  test("two of one name", () => {
    const rule = { effect: "deny", tools: "a" };
    const message = 'policy.rules[1].id "x" is another rule\'s: choose one.';
    expect(
      refusal({
        rules: [
          { ...rule, id: "x" },
          { ...rule, id: "x" },
        ],
      }),
    ).toBe(message);
    expect(refusal({ rules: [{ ...rule, id: "rules[1]" }, rule] })).toContain("is another rule's");
  });
});

describe("a policy that hides something", () => {
  test.each([
    ["in its prototype", '{ "__proto__": { "preset": "autonomous" } }'],
    ["in a rule's", '{ "rules": [{ "effect": "deny", "__proto__": { "tools": "x" } }] }'],
    ["in a condition's", '{ "rules": [{ "effect": "deny", "callers": { "__proto__": "x" } }] }'],
  ])("%s is refused", (_, json) => {
    expect(refusal(JSON.parse(json))).toContain('unknown option "__proto__"');
  });

  test("among the members of an origin matches nothing, and loses no condition", () => {
    const origin = JSON.parse('{ "__proto__": "x", "constructor": "*" }');
    const layers = compilePolicy({
      default: "ask",
      rules: [{ effect: "allow", provenance: { origin } }],
    });
    expect(decidePermission(layers, createSubject("t"))).toMatchObject({ effect: "ask" });
    expect(JSON.stringify(layers)).toContain('"__proto__":"x"');
    expect(Object.prototype).not.toHaveProperty("tools");
  });

  test("behind getters is read once", () => {
    let reads = 0;
    const rule = {
      effect: "deny",
      get tools() {
        return (reads += 1) === 1 ? "t" : "other";
      },
    } as PolicyRule;
    const layers = compilePolicy({ default: "allow", rules: [rule] });
    expect(decidePermission(layers, createSubject("t"))).toMatchObject({ effect: "deny" });
    expect(reads).toBe(1);
  });

  test("that cannot be read, or never ends, is refused", () => {
    const throwing = {
      get rules(): never {
        throw new Error("boo");
      },
    };
    expect(refusal(throwing)).toBe("policy cannot be read.");
    const endless: Record<string, unknown> = {};
    endless["rules"] = [endless];
    expect(refusal(endless)).toContain("is nested too deeply");
  });
});

describe("examples", () => {
  const rule = {
    effect: "deny",
    tools: "delete_*",
    annotations: { readOnlyHint: false },
    permissions: { target: "https://prod.example/*" },
    callers: { roles: "guest" },
    provenance: { origin: { method: "DELETE" } },
  };
  const example = {
    tool: "delete_event",
    trusted: false,
    annotations: { readOnlyHint: true },
    permission: { kind: "network", target: "https://prod.example/7" },
    caller: { id: "g", roles: ["guest"] },
    provenance: { adapter: "openapi", source: "api", origin: { method: "DELETE" } },
  };

  test("that match are stored with the rule", () => {
    const rules = [
      { ...rule, match: [example], notMatch: ["delete_event", { ...example, tool: "list" }] },
    ] as never;
    expect(JSON.parse(JSON.stringify(compilePolicy({ preset: "strict", rules })))).toEqual([
      { preset: "strict", rules },
    ]);
  });

  test.each<[string, object]>([
    ["tool", { tool: "list" }],
    ["trusted", { trusted: true }],
    ["permission", { permission: { kind: "network", target: "https://test.example/7" } }],
    ["caller", { caller: { id: "a", roles: ["admin"] } }],
    ["provenance", { provenance: { origin: { method: "GET" } } }],
  ])("that do not match are refused: another %s", (_, other) => {
    const wrong = { ...example, ...other };
    expect(withRule({ ...rule, match: [example, wrong] })).toBe(
      `policy.rules[0].match[1] ${JSON.stringify(wrong)} is not what the rule matches: correct one of them.`,
    );
    expect(withRule({ ...rule, notMatch: [wrong, example] })).toBe(
      `policy.rules[0].notMatch[1] ${JSON.stringify(example)} is what the rule matches: correct one of them.`,
    );
  });

  test("reveal that a glob matches too much", () => {
    expect(withRule({ tools: "*delete*", notMatch: ["undelete"] })).toBe(
      'policy.rules[0].notMatch[0] "undelete" is what the rule matches: correct one of them.',
    );
  });

  test.each<[unknown, string]>([
    ["delete_event", "policy.rules[0].match is no list"],
    [[7], "policy.rules[0].match[0] takes an object"],
    [[{ name: "x" }], 'unknown option "name"'],
    [["delete/event"], "policy.rules[0].match[0].tool is no tool's name: write its whole name."],
    [[{ ...example, trusted: "no" }], "match[0].trusted is neither true nor false."],
    [[{ ...example, annotations: { readonlyHint: true } }], "Did you mean readOnlyHint?"],
    [[{ ...example, permission: { kind: "network" } }], "permission.target is no text"],
    [[{ ...example, caller: { roles: ["x"] } }], "caller.id is no text"],
    [[{ ...example, caller: { id: "x", roles: "x" } }], 'roles is no list: write ["admin"].'],
    [[{ ...example, caller: { id: "x", roles: [1] } }], "caller.roles[0] is no text"],
    [[{ ...example, provenance: { origin: { method: 1 } } }], "origin.method is no text"],
  ])("that are invalid are refused: %j", (match, message) => {
    expect(withRule({ ...rule, match })).toContain(message);
  });
});
