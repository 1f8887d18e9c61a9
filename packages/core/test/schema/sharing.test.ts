import { describe, expect, test } from "vitest";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import type { CompiledSchema, SchemaValidator } from "@toolweave/core/adapter";
import { SchemaCache } from "../../src/schema/schema-cache.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";

class CountingValidator implements SchemaValidator {
  readonly compiled: JsonSchema[] = [];
  readonly #delay: boolean;

  constructor(delay = false) {
    this.#delay = delay;
  }

  compile(schema: JsonSchema): CompiledSchema | Promise<CompiledSchema> {
    this.compiled.push(schema);
    const check: CompiledSchema = () => undefined;
    return this.#delay ? Promise.resolve(check) : check;
  }
}

const input = { type: "object", properties: { a: { type: "number" } } };
const equal = { properties: { a: { type: "number" } }, type: "object" };

describe("compiling", () => {
  test("does not happen before the first call", async () => {
    const validator = new CountingValidator();
    const executor = executorFor([tool("a", () => 1, { input }), tool("b", () => 1, { input })], {
      validator,
    });
    expect(executor.toolset.specs()).toHaveLength(2);
    await executor.execute(call("unknown"));
    expect(validator.compiled).toEqual([]);
    await executor.execute(call("a"));
    expect(validator.compiled).toHaveLength(1);
  });

  test("happens once for equal schemas of any number of tools", async () => {
    const validator = new CountingValidator();
    const tools = [tool("a", () => 1, { input }), tool("b", () => 1, { input: equal })];
    const executor = executorFor(tools, { validator });
    for (const name of ["a", "b", "a", "b"]) await executor.execute(call(name));
    expect(validator.compiled).toHaveLength(1);
  });

  test("happens once for simultaneous calls, while the validator is still loading", async () => {
    const validator = new CountingValidator(true);
    const tools = [tool("a", () => 1, { input }), tool("b", () => 1, { input: equal })];
    const executor = executorFor(tools, { validator });
    const calls = Array.from({ length: 20 }, (_, at) => executor.execute(call(at % 2 ? "a" : "b")));
    for (const outcome of await Promise.all(calls)) completed(outcome);
    expect(validator.compiled).toHaveLength(1);
  });

  test("happens for each of two that differ in one keyword", async () => {
    const cache = new SchemaCache(ajvValidator());
    const strict = await cache.get({ ...input, additionalProperties: false });
    const loose = await cache.get(input);
    expect(strict({ b: 1 })).toHaveLength(1);
    expect(loose({ b: 1 })).toBe(undefined);
  });

  test("is not awaited once the validator exists", async () => {
    const validator = ajvValidator();
    expect(validator.compile(input)).toBeInstanceOf(Promise);
    await validator.compile(input);
    expect(validator.compile(equal)).toBeTypeOf("function");
  });
});

describe("an invalid schema", () => {
  test("fails its own tool's calls as a defect of the host, and no other's", async () => {
    const tools = [
      tool("bad", () => 1, {
        input: { type: "object", properties: { a: { $ref: "https://other.example/a" } } },
      }),
      tool("good"),
    ];
    const executor = executorFor(tools);
    const { error, result } = failed(await executor.execute(call("bad")));
    expect([error.code, error.audience]).toEqual(["invalid_configuration", "host"]);
    expect(error.message).toMatch(
      /^A schema of this tool is not valid JSON Schema \(.+\); the host must correct it\.$/,
    );
    expect(result.durationMs).toBe(0);
    expect(readCode(await executor.execute(call("bad")))).toBe("invalid_configuration");
    completed(await executor.execute(call("good")));
  });

  test("is the same if the validator throws at once, whatever it throws", async () => {
    const validator: SchemaValidator = {
      compile: () => {
        throw "a text";
      },
    };
    const executor = executorFor(tool("a"), { validator });
    expect(failed(await executor.execute(call("a"))).error.message).toContain("(a text)");
  });

  test("is compiled once only, since that may be slow", async () => {
    const compiled: JsonSchema[] = [];
    const validator: SchemaValidator = {
      compile: (schema) => {
        compiled.push(schema);
        throw new Error("too large");
      },
    };
    const executor = executorFor(
      tool("a", () => 1, { input }),
      { validator },
    );
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(failed(await executor.execute(call("a"))).error.message).toContain("(too large)");
    }
    expect(compiled).toHaveLength(1);
  });

  test("is compiled again if the stack was exhausted", async () => {
    let full = true;
    const validator: SchemaValidator = {
      compile: () => {
        if (full) throw new RangeError("Maximum call stack size exceeded");
        return () => undefined;
      },
    };
    const executor = executorFor(tool("a"), { validator });
    expect(readCode(await executor.execute(call("a")))).toBe("invalid_configuration");
    full = false;
    completed(await executor.execute(call("a")));
  });

  test("may be compiled again: a failure is not cached", async () => {
    let broken = true;
    const validator: SchemaValidator = {
      compile: () => (broken ? Promise.reject(new Error("loading failed")) : () => undefined),
    };
    const executor = executorFor(tool("a"), { validator });
    expect(readCode(await executor.execute(call("a")))).toBe("invalid_configuration");
    broken = false;
    completed(await executor.execute(call("a")));
  });
});
