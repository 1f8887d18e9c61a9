import { describe, expect, it } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { isTooMuch, mostValues } from "../../src/transport/messages/read-message.ts";

describe("a message is too much", () => {
  it.each([
    ["arrays in arrays", "[".repeat(mostValues + 1)],
    ["objects", `[${"{},".repeat(mostValues)}{}]`],
    ["members", `{${'"a":1,'.repeat(mostValues)}"a":1}`],
  ])("with too many %s", (_, json) => {
    expect(isTooMuch(json)).toBe(true);
  });

  it.each([
    ["one long text", `["${"[{,".repeat(mostValues)}"]`],
    ["a text with quotes and backslashes", `["${'\\",[{\\\\'.repeat(mostValues)}"]`],
    ["a text that does not end", `["${"[{,".repeat(mostValues)}`],
    ["as many values as may be", `[${"1,".repeat(mostValues - 10)}1]`],
    ["white space", `[${" ".repeat(3 * mostValues)}]`],
  ])("never with %s", (_, json) => {
    expect(isTooMuch(json)).toBe(false);
  });

  it.each([`"${"\\".repeat(2_000_000)}"`, '""'.repeat(1_000_000)])(
    "is known after linear work, whatever its texts hold",
    async (json) => {
      expect(await cpuMilliseconds(() => isTooMuch(json))).toBeLessThan(linearWorkMs);
    },
  );
});
