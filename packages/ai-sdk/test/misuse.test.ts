import { ToolError } from "@toolweave/core";
import { expect, test } from "vitest";
import { aiSource, aiToolApproval, toAiToolOutput } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => aiSource([] as never), "aiSource takes the SDK's tools by name"],
  [() => aiSource({}, { id: 5 as never }), "aiSource: id is 5; use a text"],
  [() => aiSource({}, { toolApproval: "denied" as never }), 'toolApproval is "denied"; use'],
  [() => aiToolApproval("user-approval" as never), 'others is "user-approval"; use statuses'],
  [() => toAiToolOutput(none), "toAiToolOutput: outcome is missing; use an outcome"],
  [() => toAiToolOutput(Promise.resolve() as never), "use an outcome: await executor.resume"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  const error: unknown = await Promise.resolve()
    .then(make)
    .catch((reason: unknown) => reason);
  expect(ToolError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: "invalid_configuration" });
  expect(String(error)).toContain(message);
});
