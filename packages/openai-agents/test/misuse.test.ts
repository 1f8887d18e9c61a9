import { expect, test } from "vitest";
import { restoreWaitingCalls, waitingCalls } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => waitingCalls(none), "waitingCalls: runContext is missing; use an object."],
  [() => restoreWaitingCalls(none, ""), "restoreWaitingCalls: runContext is missing"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
