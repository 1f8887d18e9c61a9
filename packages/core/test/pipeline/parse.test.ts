import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, ToolExecutor } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

/** An executor whose tool stores its arguments. */
function keeping(): { executor: ToolExecutor; got: () => JsonObject | undefined } {
  let args: JsonObject | undefined;
  const executor = executorFor(tool("keep", (given) => void (args = given)));
  return { executor, got: () => args };
}

describe("arguments as a text", () => {
  test.each(["{", "{'a':1}", " ", '{"a":1}}', "undefined", "\u0000", '{"a":1,}'])(
    "%j are an error, never {}",
    async (text) => {
      const { executor, got } = keeping();
      const { error } = failed(await executor.execute(call("keep", text)));
      expect([error.code, error.audience]).toEqual(["invalid_arguments", "model"]);
      expect(error.message).toMatch(
        /^The arguments of keep are not valid JSON \(.+\)\. Send one JSON object\.$/,
      );
      expect(got()).toBe(undefined);
    },
  );

  test.each(["null", "[]", "1", '"a"', "true", '["a"]'])("%s are not an object", async (text) => {
    const { executor, got } = keeping();
    const { error } = failed(await executor.execute(call("keep", text)));
    expect(error.message).toBe(
      'The arguments of keep must be one JSON object, such as {"name": "value"}.',
    );
    expect(got()).toBe(undefined);
  });

  test("of many megabytes that are not JSON cause a short error", async () => {
    const { executor } = keeping();
    const { error } = failed(await executor.execute(call("keep", "x".repeat(5_000_000))));
    expect(error.message.length).toBeLessThan(300);
  });

  test("SC19 with a duplicate key have one value, for the checks as for the tool", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("read", ({ path }) => void seen.push(path), {
        needsApproval: ({ path }) => (seen.push(path), false),
      }),
      { hooks: [{ beforeCall: (call) => void seen.push(call.arguments["path"]) }] },
    );
    await executor.execute(call("read", '{"path":"ok","path":"/etc/passwd"}'));
    expect(seen).toEqual(["/etc/passwd", "/etc/passwd", "/etc/passwd"]);
  });
});

describe("no arguments", () => {
  test.each([{ sent: "" }, { sent: null }, { sent: undefined }])(
    "as $sent are an empty object",
    async ({ sent }) => {
      const { executor, got } = keeping();
      completed(await executor.execute({ id: "1", name: "keep", arguments: sent as never }));
      expect(got()).toEqual({});
    },
  );

  test("are checked like an empty object", async () => {
    const input = { type: "object", required: ["id"] };
    const executor = executorFor(tool("keep", () => "kept", { input }));
    const { error } = failed(await executor.execute(call("keep", "")));
    expect([error.code, error.message]).toEqual([
      "invalid_arguments",
      expect.stringContaining("id"),
    ]);
  });
});

describe("a number in a text", () => {
  test.each([
    "12345678901234567890",
    "9007199254740993",
    "-9223372036854775807",
    // A double holds these, and prints others.
    "18014398509481985e0",
    "725653563933458432",
    "4611686018427387904",
    "-1152921504606846976",
  ])(
    "that JavaScript does not print as it was written (%s) is refused, not rounded",
    async (number) => {
      const { executor, got } = keeping();
      const sent = call("keep", `{"ids":[{"id":${number}}]}`);
      const { error } = failed(await executor.execute(sent));
      expect(error.code).toBe("invalid_arguments");
      expect(error.message).toContain(
        `- ids.0.id is ${BigInt(number.replace("e0", ""))}, an integer that a number cannot hold: send it as a text, in quotes`,
      );
      expect(got()).toBe(undefined);
    },
  );

  test.each([
    "9007199254740991",
    "18014398509481984",
    "1e21",
    "12345678901234567000",
    "0.1",
    "1.0",
    "1.50e2",
    "-0",
    "9007199254740994",
    "100000000000000000000",
    "5e-324",
  ])("that is exact when parsed (%s) is accepted", async (number) => {
    const { executor, got } = keeping();
    completed(await executor.execute(call("keep", `{"a":${number}}`)));
    expect(got()).toEqual({ a: Number(number) });
  });
});

describe("arguments as a value", () => {
  test.each<[string, JsonObject]>([
    ["a function", { a: (() => 1) as never }],
    ["a symbol", { a: Symbol("x") as never }],
    ["a bigint beyond all numbers", { a: [10n ** 400n] as never }],
    ["an undefined in a list", { a: [undefined] as never }],
    ["NaN", { a: NaN }],
    ["Infinity", { a: { b: [Infinity] } }],
  ])("that contain %s are an error", async (_, args) => {
    const { executor, got } = keeping();
    expect(failed(await executor.execute(call("keep", args))).error.code).toBe("invalid_arguments");
    expect(got()).toBe(undefined);
  });

  test.each([{ args: [] }, { args: 1 }, { args: false }, { args: () => ({}) }])(
    "that are not an object ($args) are an error",
    async ({ args }) => {
      const { executor } = keeping();
      const outcome = await executor.execute({ id: "1", name: "keep", arguments: args as never });
      expect(failed(outcome).error.code).toBe("invalid_arguments");
    },
  );

  test("that contain themselves are an error", async () => {
    const args: Record<string, unknown> = {};
    args["self"] = [args];
    const { executor } = keeping();
    expect(
      failed(await executor.execute(call("keep", args as JsonObject))).error.message,
    ).toContain("nest deeper than 200 levels");
  });

  test("lose undefined values, as in JSON", async () => {
    const { executor, got } = keeping();
    completed(
      await executor.execute(call("keep", { a: undefined, b: { c: undefined, d: null } } as never)),
    );
    expect(Object.keys(got() ?? {})).toEqual(["b"]);
    expect(got()).toEqual({ b: { d: null } });
  });

  test("TC17 are the tool's own copy: changes do not affect the caller's", async () => {
    const ruin = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const member of Object.values(value)) ruin(member);
      if (Array.isArray(value)) value.length = 0;
      for (const key of Object.keys(value)) delete (value as Record<string, unknown>)[key];
      Object.assign(value, { ruined: true });
    };
    const executor = executorFor(tool("ruin", ruin));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        async (args) => {
          const before = JSON.stringify(args);
          completed(await executor.execute(call("ruin", args as JsonObject)));
          expect(JSON.stringify(args)).toBe(before);
        },
      ),
    );
  });

  test("are the same as a text and as a value", async () => {
    const { executor, got } = keeping();
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        async (args) => {
          completed(await executor.execute(call("keep", JSON.stringify(args))));
          const asText = JSON.stringify(got());
          completed(await executor.execute(call("keep", args as JsonObject)));
          expect(JSON.stringify(got())).toBe(asText);
        },
      ),
    );
  });
});

describe("arguments that aim at prototypes", () => {
  const attacks = [
    '{"__proto__":{"polluted":1}}',
    '{"a":{"__proto__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '[{"__proto__":[]}]'.slice(1, -1),
    '{"__proto__":null,"toString":1,"hasOwnProperty":0}',
  ];

  test.each(attacks)("%s stay data, as a text and as a value", async (text) => {
    for (const args of [text, JSON.parse(text) as JsonObject]) {
      const { executor, got } = keeping();
      completed(await executor.execute(call("keep", args)));
      expect(JSON.stringify(got())).toBe(text);
      expect(Object.getPrototypeOf(got())).toBe(Object.prototype);
    }
    expect(({} as { polluted?: 1 }).polluted).toBe(undefined);
    expect(Object.prototype.toString.call({})).toBe("[object Object]");
  });

  test.each(attacks)("%s stay data through strip, hooks, approval and resumption", async (text) => {
    let got: JsonObject = {};
    const executor = executorFor(
      tool("keep", (args) => void (got = args), {
        injected: [{ name: "user", required: false }],
        needsApproval: true,
      }),
      {
        undeclaredArguments: "schema",
        hooks: [{ beforeCall: ({ arguments: args }) => ({ arguments: args }) }],
      },
    );
    const args = { ...(JSON.parse(text) as JsonObject), user: "root" };
    const outcome = await executor.execute(call("keep", JSON.stringify(args)));
    if (outcome.status !== "interrupted") throw new Error("not interrupted");
    expect(JSON.stringify(outcome.interruption.call.arguments)).toBe(text);
    completed(await executor.resume(outcome.interruption, [{ type: "approve" }]));
    expect(JSON.stringify(got)).toBe(text);
    expect(({} as { polluted?: 1 }).polluted).toBe(undefined);
  });

  test("members on Object.prototype are not taken as arguments", async () => {
    const { executor, got } = keeping();
    completed(await executor.execute(call("keep")));
    // oxlint-disable-next-line no-extend-native -- what this is about
    Object.defineProperty(Object.prototype, "smuggled", {
      value: { admin: true },
      enumerable: true,
      configurable: true,
    });
    let status = "";
    try {
      ({ status } = await executor.execute(call("keep", { a: 1 })));
    } finally {
      delete (Object.prototype as { smuggled?: unknown }).smuggled;
    }
    expect(status).toBe("completed");
    expect(Object.keys(got() ?? {})).toEqual(["a"]);
  });
});

test.each([
  ["a date", { at: new Date(0) }, /hold a Date; pass plain JSON/],
  ["a map", { all: new Map([["a", 1]]) }, /hold a Map; pass plain JSON/],
  [
    "a URL",
    { of: new URL("http://127.0.0.1/") },
    /hold an? (URL|instance of a class); pass plain JSON/,
  ],
])("%s among the arguments is refused, and not silently emptied", async (_, args, message) => {
  const { executor, got } = keeping();
  const { error } = failed(await executor.execute(call("keep", args as never)));
  expect(error.code).toBe("invalid_arguments");
  expect(error.message).toMatch(message);
  expect(got()).toBe(undefined);
});
