import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { heapUsed } from "../support/heap-used.ts";
import { completed } from "../support/outcomes.ts";

test("RE06: a hundred thousand calls on one signal leave no listener, no warning and no memory", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const executor = executorFor([
    tool("t", async () => undefined),
    tool("reads", async (_, { signal }) => signal.aborted),
  ]);
  const { signal } = new AbortController();
  const many = async (calls: number): Promise<void> => {
    for (let at = 0; at < calls; at++) {
      completed(await executor.execute(call(at % 10 === 0 ? "reads" : "t"), { signal }));
    }
  };
  await many(20_000);
  const before = heapUsed();
  await many(80_000);
  const grown = heapUsed() - before;
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(warnings).toEqual([]);
  // A listener that stays retains its call: 80,000 of them would be tens of megabytes.
  expect(grown).toBeLessThan(2_000_000);
  process.off("warning", note);
});

test("RE06: concurrent calls of one signal leave no listener either", async () => {
  const executor = executorFor(tool("t", async () => undefined));
  const { signal } = new AbortController();
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const outcomes = await Promise.all(
    Array.from({ length: 2000 }, (_, at) => executor.execute(call("t", {}, `${at}`), { signal })),
  );
  for (const outcome of outcomes) completed(outcome);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(warnings).toEqual([]);
});
