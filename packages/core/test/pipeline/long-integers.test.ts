import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import type {
  ExecutorOptions,
  Hook,
  JsonObject,
  JsonSchema,
  Tool,
  ToolExecutor,
} from "@toolweave/core";
import { parseExact } from "@toolweave/core/adapter";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const long = "9007199254740993";

interface Kept {
  readonly executor: ToolExecutor;
  /** The arguments as the tool got them. */
  readonly got: unknown[];
}

/** An executor with a tool that accepts a bigint. */
function keeping(
  properties: JsonSchema,
  more: Partial<Tool> = {},
  options: Omit<ExecutorOptions, "registry"> = {},
): Kept {
  const got: unknown[] = [];
  const input = { type: "object", properties, additionalProperties: false };
  const keep = tool("keep", (args) => void got.push(args), { input: input as JsonSchema });
  const accepting: Tool = { ...keep, acceptsBigint: true, ...more };
  return { executor: executorFor(accepting, options), got };
}

const integer: JsonSchema = { type: "integer" };

describe("an integer that a JavaScript number cannot hold", () => {
  test.each<[string, JsonSchema, string, unknown]>([
    ["a number", integer, long, BigInt(long)],
    ["a text of its digits", integer, `"${long}"`, BigInt(long)],
    ["a number, as number", { type: "number" }, "725653563933458432", 725653563933458432n],
    ["a number with an exponent", integer, "9.007199254740993e15", BigInt(long)],
    ["a number that may be null", { type: ["integer", "null"] }, long, BigInt(long)],
    ["a text that may be null", { anyOf: [integer, { type: "null" }] }, `"${long}"`, BigInt(long)],
    ["a choice", { oneOf: [integer, { type: "boolean" }] }, `"${long}"`, BigInt(long)],
    ["a part", { allOf: [integer, { description: "An id" }] }, `"${long}"`, BigInt(long)],
    ["a text, where texts are right", { type: ["integer", "string"] }, `"${long}"`, long],
    ["a text, where anything is", {}, `"${long}"`, long],
    [
      "items",
      { type: "array", items: integer },
      `[1,${long},"-${long}"]`,
      [1, BigInt(long), -BigInt(long)],
    ],
    [
      "members",
      { type: "object", additionalProperties: integer },
      `{"__proto__":${long},"a/b":"${long}"}`,
      Object.defineProperty({ "a/b": BigInt(long) }, "__proto__", {
        value: BigInt(long),
        enumerable: true,
      }),
    ],
  ])("is exact as %s", async (_, schema, sent, expected) => {
    for (const args of [`{"a":${sent}}`, undefined]) {
      const { executor, got } = keeping({ a: schema, name: { type: "string" } });
      const value = { a: expected, name: long };
      const given = args === undefined ? value : `{"name":"${long}","a":${sent}}`;
      completed(await executor.execute(call("keep", given as JsonObject)));
      expect(got).toEqual([value]);
    }
  });

  test("is a text in the arguments of hooks, events and approvals", async () => {
    const seen: unknown[] = [];
    const hook: Hook = { beforeCall: ({ arguments: args }) => void seen.push(args) };
    const { executor } = keeping({ a: integer }, {}, { hooks: [hook], eventPayloads: true });
    executor.on((event) => {
      if (event.type === "tool.started") seen.push(event.arguments);
    });
    completed(await executor.execute(call("keep", { a: BigInt(long) } as never)));
    expect(seen).toEqual([{ a: long }, { a: long }]);
  });

  test.each<[string, JsonSchema, string]>([
    ["where texts are right", { type: "string" }, long],
    ["where both are right", { type: ["string", "integer"] }, long],
    ["where anything is right", {}, long],
  ])("is refused as a number %s, with a remedy that works", async (_, schema, sent) => {
    const { executor, got } = keeping({ a: schema });
    const { error } = failed(await executor.execute(call("keep", `{"a":${sent}}`)));
    expect(error.message).toContain(
      `a is ${sent}, an integer that a number cannot hold: send it as a text, in quotes`,
    );
    completed(await executor.execute(call("keep", `{"a":"${sent}"}`)));
    expect(got).toEqual([{ a: sent }]);
  });

  test("is refused by a tool that accepts no bigint, as a number and as a text, in the same words", async () => {
    const executor = executorFor(
      tool("keep", () => "kept", { input: { type: "object", properties: { a: integer } } }),
    );
    const texts = await Promise.all(
      [long, `"${long}"`].map(async (sent) => {
        const { error } = failed(await executor.execute(call("keep", `{"a":${sent}}`)));
        return error.message;
      }),
    );
    expect(texts[0]).toContain(
      `- a must be an integer between -9007199254740991 and 9007199254740991: this tool cannot receive others, unless its host declares a text here (sent: ${long})`,
    );
    expect(texts[1]).toBe(texts[0]);
  });

  test("is checked by the tool's own check and its preflight as the tool gets it", async () => {
    const seen: unknown[] = [];
    const { executor } = keeping(
      { a: integer },
      {
        validate: (args) => void seen.push(args),
        preflight: (args) => {
          seen.push(args);
          return Promise.resolve([]);
        },
      },
    );
    completed(await executor.execute(call("keep", `{"a":"${long}"}`)));
    expect(seen).toEqual([{ a: BigInt(long) }, { a: BigInt(long) }]);
  });

  test("is the same after it has waited for a person", async () => {
    const { executor, got } = keeping(
      { a: integer, b: { type: "array", items: integer } },
      {},
      { policy: { rules: [{ effect: "ask" }] } as never },
    );
    const outcome = await executor.execute(call("keep", `{"a":${long},"b":[${long}]}`));
    if (outcome.status !== "interrupted") throw new Error(outcome.status);
    const { interruption } = outcome;
    expect(interruption.call.arguments).toEqual({ a: long, b: [long] });
    const answers = interruption.requests.map(({ id }) => ({ type: "approve", requestId: id }));
    completed(await executor.resume(interruption, answers as never));
    expect(got).toEqual([{ a: BigInt(long), b: [BigInt(long)] }]);
  });
});

describe.each([
  ["the default validator", undefined],
  ["the interpreted validator", interpretedValidator()],
])("limits of long integers with %s", (_, validator) => {
  test.each<[string, string, string, string | undefined]>([
    [
      "maximum",
      '{"type":"integer","maximum":9223372036854775807}',
      "9223372036854775807",
      undefined,
    ],
    [
      "maximum",
      '{"type":"integer","maximum":9223372036854775807}',
      "9223372036854775808",
      "must be <= 9223372036854775807",
    ],
    ["minimum", '{"type":"integer","minimum":9007199254740993}', "9007199254740995", undefined],
    [
      "minimum",
      '{"type":"integer","minimum":9007199254740995}',
      "9007199254740993",
      "must be >= 9007199254740995",
    ],
    [
      "exclusiveMaximum",
      '{"exclusiveMaximum":9007199254740995,"type":"integer"}',
      "9007199254740993",
      undefined,
    ],
    [
      "exclusiveMaximum",
      '{"exclusiveMaximum":9007199254740993,"type":"integer"}',
      "9007199254740993",
      "must be < 9007199254740993",
    ],
    ["multipleOf", '{"type":"integer","multipleOf":10}', "90071992547409930", undefined],
    [
      "multipleOf",
      '{"type":"integer","multipleOf":3}',
      "9007199254740997",
      "must be multiple of 3",
    ],
    ["multipleOf", '{"type":"number","multipleOf":0.01}', "9007199254740993", undefined],
    ["enum", `{"enum":[${long},9007199254740995]}`, "9007199254740995", undefined],
    [
      "enum",
      `{"type":"integer","enum":[${long},1]}`,
      "9007199254740995",
      `must be one of ${long}, 1`,
    ],
    ["const", `{"const":${long}}`, long, undefined],
    ["const", `{"const":${long}}`, "9007199254740995", `must be ${long}`],
    [
      "a choice",
      '{"anyOf":[{"type":"integer","maximum":9007199254740993},{"type":"null"}]}',
      "9007199254740995",
      "must be <= 9007199254740993",
    ],
  ])("%s of %s is exact for %s", async (_, schema, sent, problem) => {
    const got: unknown[] = [];
    const input = parseExact(`{"type":"object","properties":{"a":${schema}}}`) as JsonSchema;
    const keep: Tool = {
      ...tool("keep", (args) => void got.push(args), { input }),
      acceptsBigint: true,
    };
    const executor = executorFor(keep, validator === undefined ? {} : { validator });
    for (const args of [`{"a":${sent}}`, `{"a":"${sent}"}`]) {
      const outcome = await executor.execute(call("keep", args));
      const answer = outcome.status === "failed" ? outcome.error.message : outcome.status;
      expect(answer).toContain(problem === undefined ? "completed" : `- a ${problem}`);
    }
    expect(got).toEqual(problem === undefined ? [{ a: BigInt(sent) }, { a: BigInt(sent) }] : []);
  });
});

describe("a number with more digits than a double has", () => {
  test("is refused with the number that can be sent", async () => {
    const { executor, got } = keeping({ a: { type: "number" } });
    const { error } = failed(await executor.execute(call("keep", '{"a":52.5200065999999987}')));
    expect(error.message).toBe(
      "The arguments of keep hold 52.5200065999999987, which has more digits than a number can: send 52.5200066 instead.",
    );
    completed(await executor.execute(call("keep", '{"a":52.5200066}')));
    expect(got).toEqual([{ a: 52.5200066 }]);
  });
});

/** Numbers as JSON writes them. */
const anyNumber: fc.Arbitrary<string> = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 53n + 10n }).map(String),
  fc.integer({ min: 0, max: 69 }).map((shift) => String(2n ** BigInt(shift))),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?$/),
);

/** True if two JSON numbers are the same number. */
function isSameNumber(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => {
    const [, sign, whole, fraction = "", exponent = "0"] =
      /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([-+]?[0-9]+))?$/i.exec(text) as unknown as string[];
    const units = BigInt(`${sign}${whole}${fraction}`);
    return [units, Number(exponent) - (fraction as string).length] as const;
  });
  if (one === undefined || other === undefined) return false;
  const least = Math.min(one[1], other[1]);
  const scale = ([units, exponent]: readonly [bigint, number]): bigint =>
    units * 10n ** BigInt(exponent - least);
  return scale(one) === scale(other);
}

test("no number is changed: each is the one that was sent, or is refused with a remedy", async () => {
  const { executor, got } = keeping({
    a: { type: "number" },
    b: { type: "array", items: { type: "number" } },
  });
  const property = fc.assert(
    fc.asyncProperty(anyNumber, fc.boolean(), async (sent, isText) => {
      got.length = 0;
      const args =
        isText &&
        /^-?[0-9]+$/.test(sent) &&
        !Number.isSafeInteger(Number(sent)) &&
        !isSameNumber(sent, String(Number(sent)))
          ? `"${sent}"`
          : sent;
      const outcome = await executor.execute(call("keep", `{"a":${args},"b":[${args}]}`));
      if (outcome.status === "failed") return /: send .+ instead\.$/.test(outcome.error.message);
      const [{ a, b }] = got as [{ a: unknown; b: [unknown] }];
      return isSameNumber(sent, String(a)) && isSameNumber(sent, String(b[0]));
    }),
    { numRuns: inFullRun(10_000, 300) },
  );
  await expect(property).resolves.toBeUndefined();
});
