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
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
