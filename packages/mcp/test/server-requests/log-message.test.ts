import { describe, expect, it } from "vitest";
import { formatLogMessage } from "../../src/server-requests/inbound-messages.ts";

describe("the formatted log message", () => {
  it("has its data as JSON", () => {
    expect(formatLogMessage({ level: "info", data: { paper: "low" } })).toBe(
      'info: {"paper":"low"}',
    );
  });

  it("names data that is too deeply nested", () => {
    const data = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as never;
    expect(formatLogMessage({ level: "error", logger: "db", data })).toBe(
      "error db: [data that is too deeply nested]",
    );
  });
});
