import fc from "fast-check";
import { toolSearch } from "@toolweave/core/search";
import type { PolicyDefinition, ToolOutcome, ToolRun, ToolSelection } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { call, executorFor } from "../support/executor-for.ts";
import { searched, shop } from "./shop.ts";

const globs = fc.constantFrom("get_*", "*_pet", "delete_*", "*_invoice", "list_order", "*", "none");
const anyPolicy = fc.record({
  preset: fc.constantFrom("autonomous", "supervised", "readOnly", "strict"),
  rules: fc.array(fc.record({ effect: fc.constantFrom("deny", "ask", "allow"), tools: globs }), {
    maxLength: 3,
  }),
}) as fc.Arbitrary<PolicyDefinition>;
const anySelection: fc.Arbitrary<ToolSelection> = fc.record(
  {
    include: fc.array(globs, { maxLength: 2 }),
    exclude: fc.array(globs, { maxLength: 2 }),
    maxTokens: fc.integer({ min: 0, max: 600 }),
  },
  { requiredKeys: [] },
);

const anyHost = fc.record({
  policy: anyPolicy,
  selection: fc.option(anySelection),
  form: fc.constantFrom("growing", "constant", undefined),
  always: fc.array(globs, { maxLength: 2 }),
  turns: fc.boolean(),
});

/** A name that stage 1 finds may be refused later, for other reasons. */
function isKnown(outcome: ToolOutcome | undefined): boolean {
  const code = outcome?.status === "failed" ? outcome.error.code : "";
  return code !== "not_found" && code !== "not_advertised";
}

async function whatIsCallable(run: ToolRun): Promise<string[]> {
  const known: string[] = [];
  for (const { spec } of shop) {
    if (isKnown(await run.checkAdmission(call(spec.name, { id: 1 })))) known.push(spec.name);
  }
  return known.toSorted();
}

describe("the set of advertised and searchable tools", () => {
  test("is exactly the set of callable tools, whatever the policy, the selection and the search", async () => {
    await fc.assert(
      fc.asyncProperty(anyHost, async ({ policy, selection, form, always, turns }) => {
        const executor = executorFor(shop, { policy });
        const run = executor.startRun({
          ...(selection === null ? {} : { toolset: executor.registry.toolset(selection) }),
          ...(form === undefined ? {} : { search: toolSearch({ form, always }) }),
        });
        if (turns) run.nextTurn();
        const isOfShop = (name: string): boolean => shop.some(({ spec }) => spec.name === name);
        const said = (): string[] => [...run.toolset.callableNames()].filter(isOfShop).toSorted();
        expect(await whatIsCallable(run)).toEqual(said());
        if (run.toolset.get("search_tools") === undefined) return;
        const outcome = await run.checkAdmission(call("search_tools", { query: "pet" }));
        if (outcome !== undefined) return;
        const { names } = await searched(run, "get delete pet invoice", 20);
        const callable = said();
        expect(names.filter((name) => !callable.includes(name))).toEqual([]);
        run.nextTurn();
        expect(await whatIsCallable(run)).toEqual(callable);
        for (const name of [...run.toolset.names()].filter(isOfShop)) {
          expect(callable).toContain(name);
        }
      }),
      { numRuns: 100 },
    );
  });
});
