import { describe, expect, test } from "vitest";
import { text, type JsonValue, type ToolOutput, type ToolReturn } from "@toolweave/core";
import { parseExact, stringifyExact, type RedactionRule } from "@toolweave/core/adapter";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const account = { account: { id: 7, token: "t-12345", tags: ["a", "b"] }, ok: true };
const hidden = { account: { id: 7, token: "[redacted]", tags: ["a", "b"] }, ok: true };

async function getResult(returned: ToolReturn, ...paths: readonly string[]) {
  const redact: RedactionRule[] = paths.map((path) => ({ path }));
  const executor = executorFor(tool("t", () => returned, { annotations: { redact } }));
  return completed(await executor.execute(call("t"))).result;
}

describe("a path that a tool configures", () => {
  test("is redacted in its value and in the text of that", async () => {
    const { value, content } = await getResult(account, "$.account.token");
    expect(value).toEqual(hidden);
    expect(content).toEqual([text(JSON.stringify(hidden))]);
  });

  test("is redacted in other texts with the same value, and in details", async () => {
    const output: ToolOutput = {
      content: [text("Account 7 has the token t-12345.")],
      value: account,
      details: { raw: "token=t-12345" },
    };
    expect(await getResult(output, "$..token")).toMatchObject({
      content: [text("Account 7 has the token [redacted].")],
      details: { raw: "token=[redacted]" },
    });
  });

  test("may select values other than texts", async () => {
    const { value, content } = await getResult(account, "$.account");
    expect(value).toEqual({ account: "[redacted]", ok: true });
    expect(content).toEqual([text('{"account":"[redacted]","ok":true}')]);
  });

  test("has its digits redacted in a text, also beyond 2^53", async () => {
    const json = '{"account":{"id":12345678901234567890},"other":9007199254740993}';
    for (const path of ["$.account", "$.account.id"]) {
      for (const content of [json, "The account 12345678901234567890 is open."]) {
        const value = parseExact(json);
        const result = await getResult({ content: [text(content)], value }, path);
        expect(JSON.stringify(result)).not.toContain("123456789");
        expect(stringifyExact(result.value as JsonValue)).not.toContain("123456789");
      }
    }
  });

  test("that selects nothing changes nothing", async () => {
    expect((await getResult(account, "$.other")).value).toBe(account);
  });

  test("that is invalid is refused with the tool's definition", () => {
    expect(() => tool("t", undefined, { annotations: { redact: [{ path: "account" }] } })).toThrow(
      /t: annotations\.redact has a rule that is none/,
    );
  });
});

test("an external tool with an invalid rule is refused before it runs", async () => {
  let ran = false;
  const foreign = foreignTool("t", {
    invoke: () => ((ran = true), account),
    spec: { annotations: { readOnlyHint: true, redact: [{ path: "account" }] } },
  });
  const { error } = failed(await executorFor(foreign).execute(call("t")));
  expect(error.code).toBe("invalid_configuration");
  expect(error.message).toMatch(/t: redact has a rule that is none/);
  expect(ran).toBe(false);
});

test("a path of the host applies to every tool", async () => {
  const executor = executorFor([tool("t", () => account)], {
    redact: { paths: [{ path: "$..token" }] },
  });
  expect(completed(await executor.execute(call("t"))).result.value).toEqual(hidden);
});
