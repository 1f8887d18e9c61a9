import { describe, expect, test } from "vitest";
import {
  defineTool,
  ToolError,
  type RetryPolicy,
  type ToolAnnotations,
  type ToolErrorCode,
} from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const busy = new ToolError("unavailable", "busy");
const thrice = { attempts: 3, initialDelayMs: 0 };

interface Situation {
  readonly annotations?: ToolAnnotations;
  /** The tool's own policy. */
  readonly own?: RetryPolicy;
  /** The executor's. */
  readonly host?: RetryPolicy;
  readonly trusted?: boolean;
  readonly error?: unknown;
}

/** The number of attempts of a tool that always fails. */
async function countAttempts(situation: Situation): Promise<number> {
  const { annotations = {}, own, host, trusted = true, error = busy } = situation;
  let attempts = 0;
  const source = new TestSource(
    "s",
    [
      foreignTool("t", {
        spec: { annotations, ...(own === undefined ? {} : { retry: own }) },
        invoke: () => {
          attempts += 1;
          throw error;
        },
      }),
    ],
    { trusted },
  );
  const executor = executorFor(source, {
    policy: "autonomous",
    ...(host === undefined ? {} : { retry: host }),
  });
  failed(await executor.execute(call("t")));
  return attempts;
}

const idempotent = { idempotentHint: true };
const anyway = { ...thrice, retryNonIdempotent: true };

describe("a failed attempt is repeated", () => {
  test.each<[string, Situation, number]>([
    ["never, if there is no policy", { annotations: idempotent }, 1],
    ["by the tool's policy, if it is idempotent", { annotations: idempotent, own: thrice }, 3],
    ["if it is read-only", { annotations: { readOnlyHint: true }, own: thrice }, 3],
    ["by the executor's, if the tool has none", { annotations: idempotent, host: thrice }, 3],
    [
      "by the tool's instead of the executor's",
      { annotations: idempotent, own: { attempts: 2, initialDelayMs: 0 }, host: thrice },
      2,
    ],
    ["not if the tool has no annotations", { own: thrice, host: thrice }, 1],
    ["not if it is not idempotent", { annotations: { idempotentHint: false }, own: thrice }, 1],
    ["in any case, if the tool's policy says so", { own: anyway }, 3],
    ["in any case, if the executor's says so", { host: anyway }, 3],
    [
      "not by a hint of an untrusted source",
      {
        annotations: { idempotentHint: true, readOnlyHint: true },
        own: thrice,
        host: thrice,
        trusted: false,
      },
      1,
    ],
    ["not by the policy of such a source", { own: anyway, host: thrice, trusted: false }, 1],
    [
      "by the host's own setting, whatever the source",
      { own: { attempts: 100, initialDelayMs: 0 }, host: anyway, trusted: false },
      3,
    ],
    [
      "not if one attempt is the maximum",
      { annotations: idempotent, own: { attempts: 1 }, host: thrice },
      1,
    ],
  ])("%s", async (_, situation, attempts) => {
    expect(await countAttempts(situation)).toBe(attempts);
  });

  test.each<[string, unknown, number]>([
    ["a timeout that the tool reports", new ToolError("timeout", "late"), 3],
    ["a retryable upstream error", new ToolError("upstream", "503", { retryable: true }), 3],
    ["an unavailable source", new ToolError("unavailable", "away"), 3],
    ["a rate limit", new ToolError("rate_limited", "slow down"), 3],
    ["an upstream error without the flag", new ToolError("upstream", "404"), 1],
    ["one that is not retryable", new ToolError("unavailable", "gone", { retryable: false }), 1],
    ["any other error", new Error("disk full"), 1],
    ["nothing", null, 1],
    [
      "an object that only claims to be one",
      { [Symbol.for("toolweave.ToolError")]: true, retryable: true },
      1,
    ],
    ...(
      [
        "cancelled",
        "permission_denied",
        "limit_exceeded",
        "auth_required",
        "invalid_arguments",
      ] as const
    ).map((code: ToolErrorCode): [string, unknown, number] => [code, new ToolError(code, "no"), 1]),
  ])("after %s, or not", async (_, error, attempts) => {
    expect(await countAttempts({ annotations: idempotent, own: thrice, error })).toBe(attempts);
  });

  test("not if its answer violates its schema: it did run", async () => {
    let attempts = 0;
    const executor = executorFor(
      tool("t", () => ((attempts += 1), "text"), {
        output: { type: "number" },
        annotations: idempotent,
        retry: thrice,
      }),
    );
    expect(readCode(await executor.execute(call("t")))).toBe("invalid_output");
    expect(attempts).toBe(1);
  });

  test("not if a hook failed on its answer: it did run", async () => {
    let attempts = 0;
    const executor = executorFor(
      tool("t", () => void (attempts += 1), { annotations: idempotent, retry: thrice }),
      { hooks: [{ afterCall: () => Promise.reject(busy) }] },
    );
    expect(readCode(await executor.execute(call("t")))).toBe("internal");
    expect(attempts).toBe(1);
  });

  test("not if it never began: an error of a check before it is final", async () => {
    let checks = 0;
    const source = new TestSource(
      "s",
      [
        foreignTool("t", {
          spec: { annotations: idempotent },
          preflight: () => {
            checks += 1;
            throw busy;
          },
        }),
      ],
      { trusted: true },
    );
    const executor = executorFor(source, { policy: "autonomous", retry: thrice });
    expect(readCode(await executor.execute(call("t")))).toBe("unavailable");
    expect(checks).toBe(1);
  });
});

describe("an invalid retry policy", () => {
  const policies: [unknown, string][] = [
    [{}, ".attempts is undefined; use a whole number above 0."],
    [{ attempts: 0 }, ".attempts is 0; use a whole number above 0."],
    [{ attempts: 1.5 }, ".attempts is 1.5; use a whole number above 0."],
    [{ attempts: Infinity }, ".attempts is Infinity; use a whole number above 0."],
    [{ attempts: 2, initialDelayMs: -1 }, ".initialDelayMs is -1; use 0 or more."],
    [{ attempts: 2, maxDelayMs: NaN }, ".maxDelayMs is NaN; use 0 or more."],
    [{ attempts: 2, initialDelayMs: Infinity }, ".initialDelayMs is Infinity; use 0 or more."],
    [{ attempts: 2, retryNonIdempotent: "yes" }, ".retryNonIdempotent is neither true nor false."],
    [{ attempts: 2, delayMs: 5 }, ': unknown option "delayMs". Did you mean initialDelayMs?'],
    [null, " takes an object: { attempts, initialDelayMs, maxDelayMs, … }."],
  ];

  test.each(policies)("%j is refused when the executor is created", (retry, message) => {
    expect(() => executorFor([], { retry: retry as RetryPolicy })).toThrow(
      expect.objectContaining({
        code: "invalid_configuration",
        message: `new ToolExecutor: retry${message}`,
      }),
    );
  });

  test.each(policies)("%j is refused when the tool is defined", (retry, message) => {
    expect(() =>
      defineTool({
        name: "t",
        description: "",
        input: { type: "object" },
        retry: retry as RetryPolicy,
        execute: () => 1,
      }),
    ).toThrow(
      expect.objectContaining({ code: "invalid_configuration", message: `t: retry${message}` }),
    );
  });

  test.each(policies)("%j of an external tool is a defect of its calls", async (retry, message) => {
    let ran = 0;
    const foreign = (name: string, own: RetryPolicy) =>
      foreignTool(name, { spec: { retry: own }, invoke: () => void (ran += 1) });
    const source = new TestSource("s", [
      foreign("t", retry as RetryPolicy),
      foreign("good", thrice),
    ]);
    const executor = executorFor(source, { policy: "autonomous" });
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.message, ran]).toEqual([
      "invalid_configuration",
      `t: retry${message}`,
      0,
    ]);
    expect((await executor.execute(call("good"))).status).toBe("completed");
  });
});
