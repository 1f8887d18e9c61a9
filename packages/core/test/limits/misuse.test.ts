import { expect, test } from "vitest";
import type { ConcurrencyLimits, ExecutorOptions, RateLimit, RunLimits } from "@toolweave/core";
import { executorFor, tool } from "../support/executor-for.ts";

const rate = { calls: 1, windowMs: 1000 };

function rates(...limits: readonly unknown[]): Omit<ExecutorOptions, "registry"> {
  return { limits: { rates: limits as RateLimit[] } };
}

test.each<[string, Omit<ExecutorOptions, "registry">, RegExp]>([
  [
    "a misspelled kind",
    { limits: { rate: [] } as never },
    /limits: unknown option "rate"\. Did you mean rates\?/,
  ],
  ["no list", { limits: { rates: rate as never } }, /limits\.rates takes a list: \[\{/],
  ["no limit", rates(5), /limits\.rates\[0\] takes an object/],
  ["a misspelled field", rates({ calls: 1, window: 5 }), /Did you mean windowMs\?/],
  [
    "no window",
    rates({ calls: 1 }),
    /limits\.rates\[0\]\.windowMs is undefined; use a number above 0/,
  ],
  ["a window of 0", rates({ calls: 1, windowMs: 0 }), /windowMs is 0/],
  ["an infinite window", rates({ calls: 1, windowMs: Infinity }), /windowMs is Infinity/],
  ["no limit", rates({ windowMs: 1 }), /limits nothing; give it calls or spend/],
  [
    "a negative limit",
    rates(rate, { ...rate, calls: -1 }),
    /limits\.rates\[1\]\.calls is -1; use 0 or more/,
  ],
  ["a text", rates({ ...rate, spend: "5" }), /spend is 5; use 0 or more/],
  [
    "another scope",
    rates({ ...rate, per: "user" }),
    /per is user; use tool, source, caller or all/,
  ],
  ["globs that are no texts", rates({ ...rate, tools: [5] }), /rates\[0\]\.tools\[0\] is no text/],
  ["an empty list of globs", rates({ ...rate, sources: [] }), /rates\[0\]\.sources is empty/],
  [
    "one limit twice",
    rates(rate, { ...rate, calls: 5 }),
    /rates\[1\] limits the calls that an earlier one/,
  ],
  [
    "one limit as a text and as a list",
    rates({ ...rate, tools: "a" }, { ...rate, tools: ["a"] }),
    /rates\[1\] limits the calls that an earlier one/,
  ],
  [
    "an invalid store",
    { limits: { rates: [rate] }, rateLimits: { reserve: () => {} } as never },
    /rateLimits has no commit\(\); use a store such as memoryRateLimits\(\)/,
  ],
])("a rate limit with %s is refused when the executor is created", (_, options, message) => {
  expect(() => executorFor(tool("a"), options)).toThrow(message);
});

test.each<[unknown, RegExp]>([
  [{ max: 0 }, /limits\.concurrency\.max is 0; use a whole number above 0/],
  [{ perTool: 1.5 }, /perTool is 1\.5/],
  [{ perSource: Infinity }, /perSource is Infinity/],
  [{ max: "4" }, /max is 4/],
  [{ exclusive: [1] }, /exclusive takes a glob or a list of globs/],
  [{ maximum: 4 }, /unknown option "maximum"/],
])("a concurrency limit of %o is refused when the executor is created", (limits, message) => {
  const concurrency = limits as ConcurrencyLimits;
  expect(() => executorFor(tool("a"), { limits: { concurrency } })).toThrow(message);
});

test.each<[unknown, RegExp]>([
  [{ spend: NaN }, /limits\.spend is NaN; use 0 or more/],
  [{ identicalCalls: "3" }, /limits\.identicalCalls is "3"; use 0 or more/],
  [{ callPerTool: 1 }, /unknown option "callPerTool"\. Did you mean callsPerTool\?/],
  [5, /limits takes an object/],
])("a run limit of %o is refused when the run starts", (limits, message) => {
  expect(() => executorFor(tool("a")).startRun({ limits: limits as RunLimits })).toThrow(message);
});

test("changes of the limits after the start have no effect", () => {
  const limits = { calls: 1 };
  const run = executorFor(tool("a")).startRun({ limits });
  limits.calls = 99;
  expect(run.limits).toEqual({ calls: 1 });
});
