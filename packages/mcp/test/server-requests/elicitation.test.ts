import type { JsonObject, JsonValue } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { readElicitation } from "../../src/server-requests/elicitation.ts";
import { InvalidServerRequest } from "../../src/server-requests/form-answer.ts";

const done = Promise.resolve();
const read = (params: JsonObject): unknown => readElicitation("shop", params, () => done);
const form = (properties: JsonObject): JsonObject => ({
  message: "Please.",
  requestedSchema: { type: "object", properties },
});
const page = (url: JsonValue): JsonObject => ({ mode: "url", message: "Go there.", url });

describe("a form", () => {
  it("may have every field of the protocol", () => {
    const properties = {
      name: { type: "string", minLength: 1, format: "email" },
      count: { type: "integer", minimum: 0 },
      price: { type: "number" },
      gift: { type: "boolean", default: false },
      colour: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
      old: { type: "string", enum: ["a"], enumNames: ["A"] },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      more: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    };
    expect(read(form(properties))).toEqual({
      mode: "form",
      server: "shop",
      message: "Please.",
      requestedSchema: { type: "object", properties },
    });
  });

  it("has no invisible characters in texts for a person", () => {
    expect(
      read({ ...form({ a: { type: "string", title: "A\u202E" } }), message: "Pl\u200Bease." }),
    ).toMatchObject({
      message: "Please.",
      requestedSchema: { properties: { a: { title: "A" } } },
    });
  });

  it.each<JsonObject>([
    { requestedSchema: { type: "object", properties: {} } },
    { message: "No schema." },
    { message: "No object.", requestedSchema: { type: "string" } },
    { message: "No properties.", requestedSchema: { type: "object" } },
    { mode: "voice", message: "Say it." },
    form({ address: { type: "object", properties: { street: { type: "string" } } } }),
    form({ address: { $ref: "#/$defs/address" } }),
    form({ list: { type: "array", items: { type: "object", properties: {} } } }),
    form({ nothing: true }),
    form(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a${i}`, { type: "string" }]))),
    form({ a: { type: "string", description: "x".repeat(70_000) } }),
  ])("%# that no person can complete is not passed to the host", (params) => {
    expect(() => read(params)).toThrow(InvalidServerRequest);
  });

  it.each([
    "password",
    "userPassword",
    "pass_phrase",
    "apiKey",
    "API key",
    "access_token",
    "client_secret",
    "creditCard",
    "card number",
    "cvv",
    "pin_code",
    "otp",
    "private-key",
    "recoveryCode",
    "social security number",
  ])("does not ask for a %s, by its name or its title", (name) => {
    expect(() => read(form({ [name]: { type: "string" } }))).toThrow("asks for a secret");
    expect(() => read(form({ a: { type: "string", title: name } }))).toThrow("asks for a secret");
  });

  it.each([
    "keyword",
    "token_count",
    "author",
    "passenger",
    "session",
    "pinned",
    "cardinality",
    "option",
  ])("may ask for a %s", (name) => {
    expect(read(form({ [name]: { type: "string" } }))).toMatchObject({ mode: "form" });
  });

  it("may ask whether to generate a password", () => {
    expect(read(form({ new_password: { type: "boolean" } }))).toMatchObject({ mode: "form" });
    expect(() => read(form({ a: { type: "string", format: "password" } }))).toThrow("a secret");
  });
});

describe("a page", () => {
  it.each([
    ["https://shop.example/pay?id=1", "https://shop.example/pay?id=1"],
    ["http://127.0.0.1:8080/cb", "http://127.0.0.1:8080/cb"],
    ["http://localhost/cb", "http://localhost/cb"],
    // A text that looks like another host is displayed unambiguously.
    ["https://p\u0430ypal.example/", "https://xn--pypal-4ve.example/"],
  ])("may be %s", (url, displayed) => {
    expect(read(page(url))).toMatchObject({ mode: "url", url: displayed });
  });

  it.each<JsonValue>([
    "http://shop.example/",
    "http://127.0.0.1.shop.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://user:word@shop.example/",
    "/pay",
    "",
    7,
    `https://shop.example/${"a".repeat(5_000)}`,
  ])("is not passed to the host if it is %s", (url) => {
    expect(() => read(page(url))).toThrow(InvalidServerRequest);
  });
});
