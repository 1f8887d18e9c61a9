import fc from "fast-check";
import { expect, test } from "vitest";
import type { Caller, PermissionRequest, ToolAnnotations } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import { compilePolicy, narrowPolicy } from "../../src/policy/compile-policy.ts";
import {
  decidePermission,
  explainPermission,
  type Decision,
  type PolicyLayer,
} from "../../src/policy/decision.ts";
import type {
  PolicyDefinition,
  PolicyLayerInput,
  PolicyRule,
} from "../../src/contract/policy-definition.ts";
import { createEntry, permission } from "./subjects.ts";

const names = ["get_x", "put_x", "delete_x"];
const hintNames = [
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
  "needsApprovalHint",
] as const;

const flags = <Name extends string>(...of: readonly Name[]): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(of.map((name) => [name, fc.boolean()])), { requiredKeys: [] });
const filled = <T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  arbitrary.filter((value) => Object.keys(value).length > 0);

const annotations = fc
  .tuple(flags(...hintNames), fc.option(flags("process", "network", "spend"), { nil: undefined }))
  .map(([hints, access]): ToolAnnotations => (access === undefined ? hints : { ...hints, access }));

const rule = fc
  .record(
    {
      effect: fc.constantFrom("allow", "ask", "deny"),
      tools: fc.subarray(["get_*", "put_x", "*_x", "delete_*", "other"], { minLength: 1 }),
      annotations: filled(
        annotations.map(({ access, ...hints }) =>
          access === undefined || Object.keys(access).length === 0 ? hints : { ...hints, access },
        ),
      ),
      provenance: filled(
        fc.record(
          {
            adapter: fc.constantFrom("mcp", "openapi"),
            source: fc.constantFrom("elsewhere", "a*"),
            origin: fc.constant({ method: "GET" }),
          },
          { requiredKeys: [] },
        ),
      ),
      permissions: filled(
        fc.record(
          { kind: fc.constantFrom("network", "fs.*"), target: fc.constantFrom("a*", "*b") },
          { requiredKeys: [] },
        ),
      ),
      callers: filled(
        fc.record(
          { id: fc.constantFrom("u", "v"), roles: fc.constantFrom("admin", "guest") },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ["effect"] },
  )
  .chain((rule) =>
    fc.boolean().map((always): PolicyRule => {
      const given = rule as PolicyRule;
      if (given.effect === "ask" && always) return { ...given, ask: "always" };
      return given.effect === "allow" ? { tools: "*", ...given } : given;
    }),
  );

const preset = fc.constantFrom("readOnly", "supervised", "autonomous", "strict");
const definition = fc
  .record({
    rules: fc.array(rule, { maxLength: 5 }),
    otherwise: fc.oneof(
      fc.record({ preset }),
      fc.record({ default: fc.constantFrom("allow", "ask", "deny") }),
      fc.constant({}),
    ),
  })
  .map(({ rules, otherwise }) => ({ rules, ...otherwise }) as PolicyDefinition);
const decider = fc.constantFrom("allow", "ask", "deny", undefined).map((answer) => () => answer);
const forSource = fc
  .record({ sources: fc.constantFrom("api", "else*"), decide: decider })
  .map((one): PolicyLayerInput => one);
const layer: fc.Arbitrary<PolicyLayerInput> = fc.oneof(definition, preset, decider, forSource);
const policy = fc.array(layer, { minLength: 1, maxLength: 3 });

const entry = fc
  .record({
    name: fc.constantFrom(...names),
    annotations,
    adapter: fc.constantFrom("mcp", "openapi", "code"),
    source: fc.constantFrom("elsewhere", "api"),
    method: fc.constantFrom("GET", "PUT", undefined),
    trusted: fc.boolean(),
    proposes: fc.boolean(),
  })
  .map(({ name, adapter, method, ...more }): RegisteredTool =>
    createEntry(name, {
      ...more,
      provenance: { adapter, ...(method === undefined ? {} : { origin: { method } }) },
    }),
  );
const caller: fc.Arbitrary<Caller | undefined> = fc.constantFrom(
  undefined,
  { id: "u" },
  { id: "v", roles: ["guest"] },
  { id: "u", roles: ["admin", "guest"] },
);
const asked = fc.constantFrom(
  undefined,
  permission("network", "ab"),
  permission("fs.read", "xb"),
  permission("spend", "a"),
);
const subject = fc.record({
  entry,
  permission: asked,
  caller,
  arguments: fc.constant({}),
});

function strictness({ effect, ask }: Decision): number {
  return ["allow", "ask", "ask always", "deny"].indexOf(
    ask === undefined ? effect : `${effect} ${ask}`,
  );
}

const decide = (
  layers: readonly PolicyLayer[],
  of: Parameters<typeof decidePermission>[1],
): Decision => decidePermission(layers, of) as Decision;

test("a further layer never loosens a decision", () => {
  fc.assert(
    fc.property(policy, layer, subject, (policy, layer, subject) => {
      const before = compilePolicy(policy);
      const after = narrowPolicy(before, layer);
      expect(strictness(decide(after, subject))).toBeGreaterThanOrEqual(
        strictness(decide(before, subject)),
      );
    }),
    { numRuns: 500 },
  );
});

test("a further deny never loosens a decision", () => {
  fc.assert(
    fc.property(definition, rule, subject, (definition, rule, subject) => {
      const { ask: _, ...rest } = rule;
      const more = {
        ...definition,
        rules: [...(definition.rules ?? []), { ...rest, effect: "deny" as const }],
      };
      expect(strictness(decide(compilePolicy(more), subject))).toBeGreaterThanOrEqual(
        strictness(decide(compilePolicy(definition), subject)),
      );
    }),
    { numRuns: 500 },
  );
});

test("AP10: the order of rules never matters", () => {
  const shuffled = definition.chain((definition) =>
    fc
      .shuffledSubarray([...(definition.rules ?? [])], {
        minLength: definition.rules?.length ?? 0,
      })
      .map((rules) => [definition, { ...definition, rules }] as const),
  );
  fc.assert(
    fc.property(shuffled, subject, ([one, other], subject) => {
      expect(strictness(decide(compilePolicy(one), subject))).toBe(
        strictness(decide(compilePolicy(other), subject)),
      );
    }),
    { numRuns: 500 },
  );
});

test("AP10: a matching deny decides, whatever other rules exist", () => {
  fc.assert(
    fc.property(definition, subject, fc.nat(5), (definition, subject, at) => {
      const rules = [...(definition.rules ?? [])];
      rules.splice(at, 0, { effect: "deny", tools: subject.entry.tool.spec.name });
      const layers = compilePolicy({ ...definition, rules });
      expect(decide(layers, subject).effect).toBe("deny");
      expect(layers[0]?.mayRun(subject.entry, subject.caller)).toBe(false);
    }),
  );
});

test("no claim of an untrusted tool loosens a decision", () => {
  fc.assert(
    fc.property(policy, subject, (policy, subject) => {
      const { tool, source } = subject.entry;
      const claiming = { tool, source, trusted: false };
      const { origin: _, ...provenance } = tool.spec.provenance;
      const silent = {
        ...claiming,
        tool: { ...tool, spec: { ...tool.spec, annotations: {}, provenance } },
      };
      const layers = compilePolicy(policy);
      expect(strictness(decide(layers, { ...subject, entry: claiming }))).toBeGreaterThanOrEqual(
        strictness(decide(layers, { ...subject, entry: silent })),
      );
      for (const layer of layers) {
        const hidden = !layer.mayRun(claiming, subject.caller);
        expect(hidden || layer.mayRun(silent, subject.caller)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test("a call that runs without a caller runs for every caller", () => {
  fc.assert(
    fc.property(policy, subject, caller, (policy, subject, caller) => {
      const layers = compilePolicy(policy);
      const withoutCaller = decide(layers, { ...subject, caller: undefined });
      if (withoutCaller.effect !== "allow") return;
      expect(decide(layers, { ...subject, caller }).effect).toBe("allow");
    }),
    { numRuns: 1000 },
  );
});

test("a hidden tool could not have run, whatever its permissions", () => {
  const asks: fc.Arbitrary<readonly PermissionRequest[]> = fc.array(
    asked.filter((one) => one !== undefined),
  );
  fc.assert(
    fc.property(policy, entry, caller, asks, (policy, entry, caller, proposed) => {
      const layers = compilePolicy(policy);
      if (layers.every((layer) => layer.mayRun(entry, caller))) return;
      const permissions = entry.tool.preflight === undefined ? [] : proposed;
      // As the executor asks: see stage 7.
      const all =
        permissions.length === 0 || !entry.trusted ? [undefined, ...permissions] : permissions;
      const effects = all.map(
        (permission) => decide(layers, { entry, caller, permission, arguments: {} }).effect,
      );
      expect(effects).toContain("deny");
    }),
    { numRuns: 2000 },
  );
});

test("an explanation ends in the decision", async () => {
  await fc.assert(
    fc.asyncProperty(policy, subject, async (policy, subject) => {
      const layers = compilePolicy(policy);
      const { decision, considered } = await explainPermission(layers, subject);
      expect(decision).toEqual(decide(layers, subject));
      expect(considered).toContain(decision);
    }),
    { numRuns: 1500 },
  );
});

test("a policy of data decides the same after serialization to JSON", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(definition, preset), { minLength: 1 }),
      subject,
      (policy, subject) => {
        const layers = compilePolicy(policy);
        const again = compilePolicy(JSON.parse(JSON.stringify(layers)));
        expect(decide(again, subject)).toEqual(decide(layers, subject));
        expect(again.map((layer) => layer.toJSON())).toEqual(layers.map((layer) => layer.toJSON()));
      },
    ),
    { numRuns: 300 },
  );
});
