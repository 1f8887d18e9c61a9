import { ToolError } from "@toolweave/core";
import { expect, test } from "vitest";
import { restoreWaitingCalls, waitingCalls } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => waitingCalls(none), "waitingCalls: runContext is missing; use an object."],
  [() => restoreWaitingCalls(none, ""), "restoreWaitingCalls: runContext is missing"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  const error: unknown = await Promise.resolve()
    .then(make)
    .catch((reason: unknown) => reason);
  expect(ToolError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: "invalid_configuration" });
  expect(String(error)).toContain(message);
});
