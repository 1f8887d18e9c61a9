import { describe, expect, test } from "vitest";
import { ToolError } from "@toolweave/core";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { readFile } from "node:fs/promises";
import { stripPaths } from "../../src/executor/call/to-tool-error.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { failed, textFor } from "../support/outcomes.ts";

async function thrownBy(work: () => unknown) {
  return failed(await executorFor(tool("t", work as never)).execute(call("t")));
}

const raise = (value: unknown) => (): never => {
  throw value;
};

describe("the model's text of a thrown value", () => {
  test.each<[string, unknown, string]>([
    ["a text", "no disk", "t failed: no disk"],
    ["a number", 5, "t failed: 5"],
    ["a bigint", 5n, "t failed: 5"],
    ["an object with a message", { message: "no disk", code: 1 }, "t failed: no disk"],
    ["an object without one", { code: 1, at: 2n }, 't failed: {"code":1,"at":"2"}'],
    ["an abort by the tool itself", new DOMException("Aborted", "AbortError"), "t failed: Aborted"],
    [
      "an error with a cause, which is only for the host",
      new Error("no disk", { cause: new Error("secret") }),
      "t failed: no disk",
    ],
    ["many", new AggregateError([new Error("secret")], "all failed"), "t failed: all failed"],
    ["half a character", new Error("a\ud800b"), "t failed: a\ufffdb"],
    ["a list", ["a", "b"], "t failed: a,b"],
  ])("of %s is its own text", async (_, thrown, message) => {
    const { error, result } = await thrownBy(raise(thrown));
    expect([error.code, error.message]).toEqual(["execution_failed", message]);
    expect(result.content).toEqual([{ type: "text", text: message }]);
    expect(error.cause).toBe(thrown);
  });

  test("TC03 of a huge, cyclic or infinite value is bounded", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["me"] = cycle;
    const wide = Object.fromEntries(Array.from({ length: 1e5 }, (_, n) => [`key ${n}`, n]));
    for (const thrown of [
      cycle,
      wide,
      { a: "x".repeat(1e7) },
      "x".repeat(1e7),
      new Error("x".repeat(1e7)),
    ]) {
      const { error } = await thrownBy(raise(thrown));
      expect(error.message.length).toBeLessThan(1100);
    }
  });

  test("contains no stack, even if that is its message", async () => {
    const { stack = "" } = new Error("no disk");
    const outcome = await thrownBy(raise(new Error(stack)));
    expect(textFor(outcome)).toBe("t failed: Error: no disk");
    expect((outcome.error.cause as Error).message).toBe(stack);
  });

  test("contains no part of it wherever it was cut", async () => {
    for (let padding = 950; padding < 1010; padding++) {
      const message = `no disk\n    at ${"f".repeat(padding)}\n    at g (file.ts:1:1)`;
      expect(textFor(await thrownBy(raise(new Error(message))))).toBe("t failed: no disk");
    }
  });

  test("contains no path of the host's files", async () => {
    const missing = `${import.meta.dirname}/deep/secret-place.txt`;
    const outcome = await thrownBy(() => readFile(missing));
    expect(textFor(outcome)).not.toContain(import.meta.dirname);
    expect(textFor(outcome)).toContain("secret-place.txt");
    expect(String(outcome.error.cause)).toContain(missing);
  });

  test("of a ToolError is its message", async () => {
    const error = new ToolError("unavailable", "Look at /etc/app/config.");
    expect((await thrownBy(raise(error))).error).toBe(error);
  });
});

describe("withoutPaths", () => {
  test.each([
    ["open '/srv/app/x/secret.txt'", "open 'secret.txt'"],
    ["spawn /usr/local/bin/tool ENOENT", "spawn tool ENOENT"],
    ["at file:///home/me/app/src/a.js:3:4", "at a.js:3:4"],
    ["cannot read C:\\Users\\me\\app\\a.txt.", "cannot read a.txt."],
    ["/Users/me/a.txt, /var/log/b.log and (/tmp/c)", "a.txt, b.log and (c)"],
    ["in /home/me/", "in me"],
    // Not a path of a file.
    ["GET https://a.example/home/users/7 failed", "GET https://a.example/home/users/7 failed"],
    ["no route for /v1/customers/7", "no route for /v1/customers/7"],
    ["GET /users/7 answered 404", "GET /users/7 answered 404"],
    ["DELETE /media/9: not yours", "DELETE /media/9: not yours"],
    ["could not get /home/me/a.txt", "could not get a.txt"],
    ["WIDGET /home/me/a.txt", "WIDGET a.txt"],
    ["src/a.ts and ./b/c.ts", "src/a.ts and ./b/c.ts"],
    ["1/2 or a/tmp/b", "1/2 or a/tmp/b"],
  ])("%s → %s", (message, expected) => {
    expect(stripPaths(message)).toBe(expected);
  });

  test.each([
    ["/tmp/", "", ""],
    ["a", "/tmp/", ""],
    ["/tmp/a", "", "\n"],
    ["c:", "", ""],
  ])("takes linear time for many %j", async (part, before, after) => {
    const spent = await cpuMilliseconds(() => stripPaths(before + part.repeat(200_000) + after));
    expect(spent).toBeLessThan(linearWorkMs);
  });
});
