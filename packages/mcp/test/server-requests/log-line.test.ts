import { describe, expect, it } from "vitest";
import { logLine } from "../../src/server-requests/log-message.ts";

describe("the line of what a server logs", () => {
  it("is its data as JSON", () => {
    expect(logLine({ level: "info", data: { paper: "low" } })).toBe('info: {"paper":"low"}');
  });

  it("says so where the data nests deeper than can be written down", () => {
    const data = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as never;
    expect(logLine({ level: "error", logger: "db", data })).toBe(
      "error db: [data that nests too deep to be written down]",
    );
  });
});
