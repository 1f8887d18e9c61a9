import { expect, test } from "vitest";
import { bearerTokens } from "../../src/index.ts";
import { failure } from "../support/failure.ts";

const token = "0123456789abcdef0123456789abcdef";
const other = "fedcba9876543210fedcba9876543210";
const request = (authorization: string): Request =>
  new Request("https://agents.example.com/", { headers: { authorization } });

test("a token has the caller and the scopes that it is listed with", async () => {
  const authenticate = bearerTokens([
    { token, caller: { id: "ada" }, scopes: ["read", "decide"] },
    { token: other, caller: { id: "bot", agent: "bot" }, scopes: ["read"] },
  ]);
  expect(await authenticate(request(`Bearer ${token}`))).toEqual({
    caller: { id: "ada" },
    scopes: ["read", "decide"],
  });
  expect(await authenticate(request(`bearer  ${other}`))).toMatchObject({ scopes: ["read"] });
  expect(await authenticate(request(`Bearer ${token} `))).toMatchObject({ caller: { id: "ada" } });
  expect(await authenticate(request(`Bearer ${token}=`))).toBeUndefined();
  expect(await authenticate(request(token))).toBeUndefined();
});

test.each([
  ["no tokens", []],
  ["a short token", [{ token: token.slice(1), caller: { id: "a" }, scopes: [] }]],
  ["a token with a space", [{ token: `${token} x`, caller: { id: "a" }, scopes: [] }]],
  ["an unset variable", [{ token: undefined, caller: { id: "a" }, scopes: [] }]],
  ["a caller without an id", [{ token, caller: {}, scopes: [] }]],
  ["an unknown scope", [{ token, caller: { id: "a" }, scopes: ["admin"] }]],
  ["no scopes", [{ token, caller: { id: "a" } }]],
  ["a program that decides", [{ token, caller: { id: "a", agent: "b" }, scopes: ["decide"] }]],
  [
    "one token of two callers",
    [
      { token, caller: { id: "a" }, scopes: ["read"] },
      { token, caller: { id: "b" }, scopes: ["read", "decide"] },
    ],
  ],
])("%s are refused, and no token is in the error", (_, tokens) => {
  const error = failure(() => bearerTokens(tokens as never));
  expect(error.code).toBe("invalid_configuration");
  expect(error.message).toContain("bearerTokens");
  expect(error.message).not.toContain(token.slice(0, 12));
});
