import { expect, test } from "vitest";
import { executorFor, tool } from "../support/executor-for.ts";

const secret = "hunter2-hunter2-hunter2";

test("an executor removes its secrets from values that the host displays", () => {
  const executor = executorFor(tool("t"), { redact: { secrets: [secret] } });
  const value = { text: `The key is ${secret}.`, [secret]: [{ authorization: "Basic x" }] };
  const redacted = JSON.stringify(executor.redact(value));
  expect(redacted).not.toContain(secret);
  expect(redacted).toContain("The key is [redacted].");
  expect(redacted).toContain('"authorization":"[redacted]"');
  const clean = { text: "nothing" };
  expect(executor.redact(clean)).toBe(clean);
});

test("an executor without redaction returns values unchanged", () => {
  const executor = executorFor(tool("t"), { redact: false });
  const value = { password: secret };
  expect(executor.redact(value)).toBe(value);
});

test("an executor reports its policies and the limits of a call", () => {
  const executor = executorFor(tool("t"), {
    policy: [{ name: "team", preset: "readOnly" }],
    timeoutMs: 7,
    maxOutputBytes: 900,
  });
  expect(executor.policies.map(({ name }) => name)).toEqual(["team"]);
  expect(executor.policies[0]?.toJSON()).toMatchObject({ name: "team", preset: "readOnly" });
  expect(executor.callLimits).toEqual({ timeoutMs: 7, maxOutputBytes: 900 });
});

test("events have no secret in the name of an unknown tool", async () => {
  const executor = executorFor(tool("t"), {
    redact: { secrets: [secret] },
  });
  const events: object[] = [];
  executor.on((event) => void events.push(event));
  await executor.execute({ id: "1", name: secret, arguments: {} });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool.rejected", tool: "[redacted]" }),
  );
  expect(JSON.stringify(events)).not.toContain(secret);
});
