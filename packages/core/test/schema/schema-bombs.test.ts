import { describe, expect, test } from "vitest";
import {
  ajvValidator,
  type JsonObject,
  type JsonSchema,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { allowWork, remainingWork, workBudgets } from "../../src/schema/pattern/work-budget.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";

function executorWith(input: JsonSchema, output?: JsonSchema): ToolExecutor {
  return executorFor([
    tool("bomb", (args) => args, { input, ...(output === undefined ? {} : { output }) }),
    tool("good"),
  ]);
}

function nested(levels: number, leaf: JsonSchema = { type: "string" }): JsonSchema {
  let schema: JsonSchema = leaf;
  for (let level = 0; level < levels; level++)
    schema = { type: "object", properties: { a: schema } };
  return schema;
}

function withPatterns(count: number): JsonSchema {
  const names = Array.from({ length: count }, (_, at) => [`p${at}`, { pattern: `^a${at}` }]);
  return Object.fromEntries(names) as JsonSchema;
}

/** The outcome of a call if compiling or checking may cost only the given units of work. */
async function within(
  budgets: Partial<typeof workBudgets>,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const usual = { ...workBudgets };
  Object.assign(workBudgets, budgets);
  try {
    return await work();
  } finally {
    Object.assign(workBudgets, usual);
  }
}

describe("schema bombs", () => {
  test("SC01 a pattern with exponential backtracking does not block the process", async () => {
    const executor = executorWith({ type: "object", properties: { a: { pattern: "^(a+)+$" } } });
    completed(await executor.execute(call("bomb", { a: "a" })));
    const args = { a: `${"a".repeat(40)}!` };
    const outcome = await within({ check: 1e6 }, () => executor.execute(call("bomb", args)));
    expect(failed(outcome).error.message).toContain("must match pattern");
  });

  test("SC02 such a pattern in a server's output schema does not block it either", async () => {
    const output = { type: "string", pattern: "^(a+)+$" };
    const executor = executorFor(
      tool("bomb", ({ n }) => `${"a".repeat(n as number)}!`, { output }),
    );
    const outcome = await within({ check: 1e6 }, () => executor.execute(call("bomb", { n: 40 })));
    expect(failed(outcome).error.code).toBe("invalid_output");
    expect(failed(outcome).error.message).toContain("must match pattern");
  });

  test("SC01 a pattern that cannot be checked in bounded time is not checked, and the event reports that", async () => {
    const a = { type: "string", pattern: "^(a+)\\1$" };
    const executor = executorWith({ type: "object", properties: { a } });
    const warnings: string[] = [];
    executor.on((event) => {
      if (event.type === "tool.completed") warnings.push(...(event.warnings ?? []));
    });
    completed(await executor.execute(call("bomb", { a: "ab" })));
    expect(warnings).toEqual([expect.stringContaining('"^(a+)\\\\1$" at /properties/a')]);
    const { error } = failed(await executor.execute(call("bomb", { a: 1 })));
    expect(error.code).toBe("invalid_arguments");
  });

  test.each<[string, JsonSchema, JsonObject]>([
    ["not", { not: { pattern: "(a)\\1" } }, { a: "b" }],
    ["a condition", { if: { pattern: "(a)\\1" }, else: { minLength: 9 } }, { a: "b" }],
    ["one of several", { oneOf: [{ pattern: "(a)\\1" }, { type: "string" }] }, { a: "b" }],
    [
      "names",
      { patternProperties: { "(a)\\1": {} }, additionalProperties: false },
      { a: { b: 1 } },
    ],
    [
      "an object with properties that are called like keywords",
      {
        properties: { if: { pattern: "(a)\\1" }, default: { pattern: "(a)\\1" } },
        additionalProperties: false,
      },
      { a: { if: "b", default: "b" } },
    ],
  ])("SC01 such a pattern in %s refuses nothing", async (_, a, args) => {
    const executor = executorWith({ type: "object", properties: { a } });
    expect((await executor.execute(call("bomb", args))).status).toBe("completed");
  });

  test("SC03 a schema that refers to itself is kept as it is, and its tool works", async () => {
    const input = {
      type: "object",
      properties: { c: { $ref: "#" }, b: { $ref: "#/$defs/A" } },
      $defs: { A: { properties: { b: { $ref: "#/$defs/B" } } }, B: { $ref: "#/$defs/A" } },
    };
    const executor = executorWith(input);
    expect(JSON.parse(JSON.stringify(executor.toolset.get("bomb")?.spec)).inputSchema).toEqual(
      input,
    );
    completed(await executor.execute(call("bomb", { c: { c: {} }, b: { b: {} } })));
  });

  test("SC03 a reference that refers only to itself is a defect of that tool only", async () => {
    const executor = executorWith({
      type: "object",
      properties: { a: { $ref: "#/properties/a" } },
    });
    expect(failed(await executor.execute(call("bomb", { a: 1 }))).error.code).toBe(
      "invalid_configuration",
    );
    completed(await executor.execute(call("good")));
  });

  test.each([3000, 20_000])(
    "SC05 a schema of %i levels is a defect of that tool only",
    async (levels) => {
      const executor = executorWith(nested(levels));
      const { error } = failed(await executor.execute(call("bomb")));
      expect(error.code).toBe("invalid_configuration");
      expect(error.message).toContain("not valid JSON Schema");
      completed(await executor.execute(call("good")));
    },
  );

  test("SC06 arguments of 20,000 levels are refused before validation", async () => {
    const executor = executorWith({ type: "object", properties: { a: { $ref: "#" } } });
    const text = `${'{"a":'.repeat(20_000)}{}${"}".repeat(20_000)}`;
    const value = JSON.parse(text) as JsonObject;
    for (const args of [text, value]) {
      const { error } = failed(await executor.execute(call("bomb", args)));
      expect(error.code).toBe("invalid_arguments");
      expect(error.message).toBe("The arguments of bomb nest deeper than 200 levels; send less.");
    }
  });

  // Ajv alone: quadratic in the number of patterns.
  test("SC07 a schema with a thousand patterns is compiled within a part of the budget", async () => {
    const executor = executorWith({ type: "object", properties: withPatterns(1000) });
    await executor.execute(call("good"));
    const outcome = await within({ compile: workBudgets.compile / 2 }, () =>
      executor.execute(call("bomb")),
    );
    expect(completed(outcome).result.isError).toBe(false);
  });

  // Ajv alone: half a minute, then an exhausted stack.
  test("SC07 a schema with twenty thousand patterns is a defect of that tool only, which is found once", async () => {
    const executor = executorWith({ type: "object", properties: withPatterns(20_000) });
    const outcome = await within({ compile: workBudgets.compile / 10 }, () =>
      executor.execute(call("bomb")),
    );
    expect(failed(outcome).error.message).toContain("schema is too large to compile");
    allowWork(7);
    expect(failed(await executor.execute(call("bomb"))).error).toEqual(failed(outcome).error);
    expect(remainingWork()).toBe(7);
    completed(await executor.execute(call("good")));
  });

  test("SC08 uniqueItems over thousands of objects does not block the process", async () => {
    const executor = executorWith({ type: "object", properties: { a: { uniqueItems: true } } });
    const a = Array.from({ length: 8000 }, (_, at) => ({ at, more: { at } }));
    // Every item with every other would be some 30 million comparisons.
    completed(await within({ check: 3e7 }, () => executor.execute(call("bomb", { a }))));
    const again = [...a, { more: { at: 5 }, at: 5 }];
    expect(textFor(await executor.execute(call("bomb", { a: again })))).toContain(
      "items ## 5 and 8000 are identical",
    );
  });

  test("SC09 a hundred thousand problems of another part of the schema are no more work", async () => {
    const executor = executorWith({
      type: "object",
      properties: { a: { items: { $ref: "#/$defs/item" } } },
      $defs: { item: { required: ["b"], properties: { b: { $ref: "#" } } } },
    });
    const a = Array.from({ length: 100_000 }, () => ({}));
    // If each of them copied all before it, it would be billions of steps.
    const outcome = await within({ check: workBudgets.check }, () =>
      executor.execute(call("bomb", { a })),
    );
    expect(textFor(outcome)).toContain("- and 99990 more");
  });

  test("SC09 a hundred thousand problems become a few short lines", async () => {
    const executor = executorWith({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
    });
    const a = Array.from({ length: 100_000 }, (_, at) => at);
    const outcome = await executor.execute(call("bomb", { a }));
    expect(textFor(outcome).split("\n")).toHaveLength(13);
    expect(textFor(outcome)).toContain("- and 99990 more");
  });

  test("SC09 a problem of a million characters becomes a short line", async () => {
    const long = "x".repeat(1_000_000);
    const executor = executorWith({
      type: "object",
      properties: { a: { const: long } },
      additionalProperties: false,
    });
    for (const args of [{ [long]: 1 }, { a: long.slice(1) }] as JsonObject[]) {
      expect(failed(await executor.execute(call("bomb", args))).error.message.length).toBeLessThan(
        1000,
      );
    }
  });

  test("SC13 a default under __proto__ changes no prototype", async () => {
    const input = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"default":{"polluted":1},"properties":{"polluted":{"default":1}}},' +
        '"constructor":{"properties":{"prototype":{"properties":{"polluted":{"default":1}}}}}}}',
    ) as JsonSchema;
    const executor = executorWith(input);
    const { result } = completed(
      await executor.execute(call("bomb", '{"constructor":{"prototype":{}}}')),
    );
    expect(result.value).toEqual({ constructor: { prototype: {} } });
    expect(({} as { polluted?: number }).polluted).toBe(undefined);
  });

  test("SC14 a reference to another document is never fetched: the tool is a defect, the others work", async () => {
    const fetched: unknown[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = (url) => {
      fetched.push(url);
      return Promise.reject(new Error("no network"));
    };
    try {
      const $ref = "http://169.254.169.254/latest/meta-data";
      const executor = executorWith({ type: "object", properties: { a: { $ref } } });
      expect(failed(await executor.execute(call("bomb"))).error.code).toBe("invalid_configuration");
      completed(await executor.execute(call("good")));
    } finally {
      globalThis.fetch = fetch;
    }
    expect(fetched).toEqual([]);
  });

  test("SC15 the identifiers of one schema do not affect another", async () => {
    const validator = ajvValidator();
    const id = "https://example.com/shared";
    const check = async (schema: JsonSchema, value: unknown): Promise<boolean> =>
      (await validator.compile(schema))(value) === undefined;
    const own = (type: string): JsonSchema => ({
      $id: id,
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, b: { $id: `${id}/b`, type } },
      $defs: { a: { type } },
    });
    for (let round = 0; round < 2; round++) {
      for (const [type, right, wrong] of [
        ["string", "x", 1],
        ["number", 1, "x"],
      ] as const) {
        expect(await check(own(type), { a: right, b: right })).toBe(true);
        expect(await check(own(type), { a: wrong })).toBe(false);
        expect(await check(own(type), { b: wrong })).toBe(false);
      }
    }
    for (const $ref of [id, `${id}/b`, `${id}#/$defs/a`]) {
      await expect(check({ type: "object", properties: { a: { $ref } } }, {})).rejects.toThrow(
        /resolve/,
      );
    }
  });

  test("SC15 a schema cannot replace the meta-schema of its dialect, nor inherited members", async () => {
    const validator = ajvValidator();
    const check = async (schema: JsonSchema): Promise<unknown> =>
      (await validator.compile(schema))({});
    const $id = "https://json-schema.org/draft/2020-12/schema";
    await expect(check({ $id, type: "object" })).rejects.toThrow(/already exists/);
    await expect(check({ type: "nothing" })).rejects.toThrow(/schema is invalid/);
    expect(await check({ $id: "__proto__", type: "object" })).toBe(undefined);
    expect(await check({ type: "object", required: ["a"] })).toHaveLength(1);
  });

  test("SC17 no text of a schema becomes code", async () => {
    const marks = globalThis as { injected?: boolean };
    const evil = [
      '"]; globalThis.injected = true; //',
      "`${globalThis.injected = true}`",
      "\u2028*/",
      "');x(`",
    ];
    for (const text of evil) {
      const input = {
        type: "object",
        title: text,
        $comment: text,
        properties: {
          [text]: {
            type: "string",
            enum: [text],
            default: text,
            pattern: text.replace(/[()[\]*`]/g, "\\$&"),
          },
        },
        required: [text],
        dependentRequired: { [text]: [text] },
        patternProperties: { [`^${text.length}`]: { const: text } },
      };
      const executor = executorWith(input);
      expect(executor.toolset.size).toBe(2);
      await executor.execute(call("bomb", { [text]: text }));
      await executor.execute(call("bomb", {}));
    }
    expect(marks.injected).toBe(undefined);
  });

  test("SC18 nothing is coerced: a text is neither a boolean nor a number", async () => {
    const executor = executorWith({
      type: "object",
      properties: { confirm: { type: "boolean" }, n: { type: "number" } },
    });
    for (const args of [
      '{"confirm":"false"}',
      '{"confirm":0}',
      '{"n":"1"}',
      '{"n":"NaN"}',
      '{"n":null}',
    ]) {
      expect(failed(await executor.execute(call("bomb", args))).error.code).toBe(
        "invalid_arguments",
      );
    }
  });

  test("SC18 a number that JSON cannot represent is refused, in any notation", async () => {
    const executor = executorWith({ type: "object", properties: { n: { type: "number" } } });
    expect(failed(await executor.execute(call("bomb", '{"n":1e999}'))).error.message).toContain(
      "Infinity",
    );
    expect(failed(await executor.execute(call("bomb", { n: NaN }))).error.message).toContain("NaN");
  });
});
