import { describe, expect, test } from "vitest";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const secret = "correct-horse-battery-staple";

describe("a truncated secret", () => {
  test("at the capture limit does not reveal its beginning", async () => {
    for (let kept = 1; kept < secret.length; kept++) {
      const executor = executorFor(
        tool("read_all", () => `${"x".repeat(1000 - kept)}${secret}${"y".repeat(5000)}`),
        { redact: { secrets: [secret] }, largeOutputs: { maxCapturedBytes: 1000 } },
      );
      const serialized = JSON.stringify(completed(await executor.execute(call("read_all"))).result);
      expect(serialized).toMatch(/the rest is lost/);
      expect(serialized).not.toContain(secret.slice(0, Math.max(4, kept)));
    }
  });

  test("at the end of malformed arguments is not in the error", async () => {
    const executor = executorFor(tool("keep"), { redact: { secrets: [secret] } });
    for (const sent of [
      `{"a": "${secret}`,
      `{"a": ${secret}}`,
      `${secret}`,
      `"${secret}"x`,
      `{"a": 1, ${secret}`,
    ]) {
      const outcome = await executor.execute({ id: "1", name: "keep", arguments: sent });
      expect(JSON.stringify(outcome)).not.toMatch(/orse|orrec|staple|battery/);
      expect(failed(outcome).error.message).toMatch(
        /^The arguments of keep are not valid JSON \(.+\)\. Send one JSON object\.$/,
      );
    }
  });

  test("in an error that quotes arguments, names and a check's text does not reveal its beginning", async () => {
    const shape = { type: "object", additionalProperties: { type: "number" } } as const;
    for (let length = 0; length < 130; length++) {
      const long = `${"- ".repeat(length / 2)}${secret} and more`;
      const checked = {
        ...foreignTool("checked"),
        validate: () => [{ path: "/a", message: `${"- ".repeat(190)}${long}` }],
      };
      const executor = executorFor([tool("count", undefined, { input: shape }), checked], {
        redact: { secrets: [secret] },
      });
      const outcomes = [
        await executor.execute(call("count", { a: long })),
        await executor.execute(call("count", { [long]: "x" })),
        await executor.execute(call("checked", { a: 1 })),
        await executor.execute({ ...call("count"), name: long }),
      ];
      for (const outcome of outcomes) {
        const { content } = failed(outcome).result;
        expect(JSON.stringify(content)).not.toMatch(/corr|horse|batt/);
      }
    }
  });

  test("in a property that the schema marks as secret is not quoted either", async () => {
    const pin = { type: "string", format: "password", maxLength: 4 } as const;
    const executor = executorFor(
      tool("pay", undefined, { input: { type: "object", properties: { pin } } }),
    );
    const { message } = failed(await executor.execute(call("pay", { pin: "47114711" }))).error;
    expect(message).toContain('- pin must NOT have more than 4 characters (sent: "[redacted]")');
  });
});
