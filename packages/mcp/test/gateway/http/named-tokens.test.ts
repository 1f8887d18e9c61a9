import { describe, expect, it } from "vitest";
import { createToken, hasNamedToken, namedTokens } from "../../../src/gateway/http/named-tokens.ts";
import { ask, echo, listening, type Answered } from "../../support/open-listener.ts";

const bearer = (sent: string): Record<string, string> => ({ authorization: `Bearer ${sent}` });

const readCaller = ({ body }: Answered): unknown =>
  (JSON.parse(body) as { caller: unknown }).caller;

describe("tokens with names", () => {
  it("name their callers apart from subjects of an identity provider, and end", async () => {
    const [ci, old, unknown] = [createToken(), createToken(), createToken()];
    const authenticate = namedTokens({
      ci: { sha256: ci.sha256, roles: ["deploy"], agent: "runner" },
      old: { sha256: old.sha256, expires: "2026-01-31T00:00:00Z" },
    });
    const { url } = await listening(echo, { authenticate });
    expect(readCaller(await ask(url, { headers: bearer(ci.token) }))).toEqual({
      id: "token:ci",
      roles: ["deploy"],
      agent: "runner",
    });
    const expired = await ask(url, { headers: bearer(old.token) });
    expect([expired.status, expired.headers["www-authenticate"]]).toEqual([
      401,
      expect.stringContaining("The token has expired."),
    ]);
    for (const { token: wrong } of [unknown, { token: ci.sha256 }]) {
      expect((await ask(url, { headers: bearer(wrong) })).status).toBe(401);
    }
    expect((await ask(url)).status).toBe(401);
    expect(hasNamedToken(new Request(url, { headers: bearer(ci.token) }))).toBe(true);
    expect(
      hasNamedToken(new Request(url, { headers: bearer("eyJhbGciOiJFUzI1NiJ9.e30.c2ln") })),
    ).toBe(false);
  });

  it.each([
    [{ a: { sha256: "tw_secret" } }, "namedTokens: a: sha256 is no SHA-256 of a token: use"],
    [{ a: { sha256: "A".repeat(64) } }, "64 hexadecimal digits"],
    [{ a: {} }, "namedTokens: a: sha256 is"],
    [{ a: { sha256: "0".repeat(64), role: "x" } }, '"role"'],
    [{ a: { sha256: "0".repeat(64), expires: "2027-02-30T00:00:00Z" } }, "namedTokens: a: expires"],
    [{ a: { sha256: "0".repeat(64) }, b: { sha256: "0".repeat(64) } }, "a token of its own"],
  ])("are refused: %j", (tokens, message) => {
    expect(() => namedTokens(tokens as never)).toThrow(message);
  });
});
