import { describe, expect, it } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { isTooMuch, maxValues } from "../../src/transport/messages/read-message.ts";

describe("a message is too much", () => {
  it.each([
    ["arrays in arrays", "[".repeat(maxValues + 1)],
    ["objects", `[${"{},".repeat(maxValues)}{}]`],
    ["members", `{${'"a":1,'.repeat(maxValues)}"a":1}`],
  ])("with too many %s", (_, json) => {
    expect(isTooMuch(json)).toBe(true);
  });

  it.each([
    ["one long text", `["${"[{,".repeat(maxValues)}"]`],
    ["a text with quotes and backslashes", `["${'\\",[{\\\\'.repeat(maxValues)}"]`],
    ["a text that does not end", `["${"[{,".repeat(maxValues)}`],
    ["as many values as may be", `[${"1,".repeat(maxValues - 10)}1]`],
    ["white space", `[${" ".repeat(3 * maxValues)}]`],
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
