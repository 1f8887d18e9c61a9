import { describe, expect, it } from "vitest";
import { fillInDefaults } from "../../src/server-requests/form-answer.ts";

const answered = (format: string, text: string) =>
  fillInDefaults({ type: "object", properties: { a: { type: "string", format } } }, { a: text });

describe("an answer to a form", () => {
  it.each([
    ["email", "ann@shop.example"],
    ["email", "ann.lee+tag@localhost"],
    ["uri", "https://shop.example/a?b=c#d"],
    ["uri", "mailto:ann@shop.example"],
    ["date", "2024-02-29"],
    ["date", "2026-12-31"],
    ["date-time", "2026-07-28T09:30:00Z"],
    ["date-time", "2026-07-28T09:30:00.125+05:30"],
    ["colour", "an unknown format is not checked"],
  ])("is sent if its %s is valid: %s", async (format, text) => {
    expect(await answered(format, text)).toEqual({ a: text });
  });

  it.each([
    ["email", "ann"],
    ["email", "ann@"],
    ["email", "ann@@shop.example"],
    ["email", "ann lee@shop.example"],
    ["uri", "shop.example"],
    ["uri", "https://shop.example/a b"],
    ["uri", ""],
    ["date", "2026-02-30"],
    ["date", "2026-02-29"],
    ["date", "2100-02-29"],
    ["date-time", "2026-02-29T00:00:00Z"],
    ["date", "2026-04-31"],
    ["date", "28.07.2026"],
    ["date", "2026-07-28T09:30:00Z"],
    ["date-time", "2026-07-28"],
    ["date-time", "2026-07-28T09:30:00"],
    ["date-time", "2026-07-28T25:30:00Z"],
  ])("is not sent if its %s is invalid: %s", async (format, text) => {
    await expect(answered(format, text)).rejects.toMatchObject({ code: "internal" });
  });

  it("must match the form's own pattern too", async () => {
    const a = { type: "string", format: "email", pattern: "@shop\\.example$" };
    const form = { type: "object", properties: { a } };
    expect(await fillInDefaults(form, { a: "ann@shop.example" })).toEqual({
      a: "ann@shop.example",
    });
    await expect(fillInDefaults(form, { a: "ann@other.example" })).rejects.toThrow("onElicitation");
  });
});
