import { describe, expect, it } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { hasTooManyValues, maxValues } from "../../../src/transport/messages/read-message.ts";

describe("a message with too many values", () => {
  it.each([
    ["arrays in arrays", "[".repeat(maxValues + 1)],
    ["objects", `[${"{},".repeat(maxValues)}{}]`],
    ["members", `{${'"a":1,'.repeat(maxValues)}"a":1}`],
  ])("with too many %s", (_, json) => {
    expect(hasTooManyValues(json)).toBe(true);
  });

  it.each([
    ["one long text", `["${"[{,".repeat(maxValues)}"]`],
    ["a text with quotes and backslashes", `["${'\\",[{\\\\'.repeat(maxValues)}"]`],
    ["a text that does not end", `["${"[{,".repeat(maxValues)}`],
    ["as many values as allowed", `[${"1,".repeat(maxValues - 10)}1]`],
    ["white space", `[${" ".repeat(3 * maxValues)}]`],
  ])("never with %s", (_, json) => {
    expect(hasTooManyValues(json)).toBe(false);
  });

  it.each([`"${"\\".repeat(2_000_000)}"`, '""'.repeat(1_000_000)])(
    "is recognized in linear time, whatever its strings contain",
    async (json) => {
      expect(await cpuMilliseconds(() => hasTooManyValues(json))).toBeLessThan(linearWorkMs);
    },
  );
});
