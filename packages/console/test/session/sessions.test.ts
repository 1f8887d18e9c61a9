import { describe, expect, test } from "vitest";
import { ConsoleSessions, type Session } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { origin, TestConsole } from "../support/test-console.ts";

const minute = 60_000;
const hour = 60 * minute;

const withToken = (token: string): Request =>
  new Request(`${origin}/api/status`, { headers: { authorization: `Bearer ${token}` } });

function open(): { clock: ManualClock; sessions: ConsoleSessions; start: () => Session } {
  const clock = new ManualClock();
  const sessions = new ConsoleSessions({ caller: { id: "ada" }, clock });
  const start = (): Session => {
    const session = sessions.start(sessions.createCode());
    if (session === undefined) throw new Error("The code was refused.");
    return session;
  };
  return { clock, sessions, start };
}

describe("a code", () => {
  test("has 256 bits, and is another one each time", () => {
    const { sessions } = open();
    const codes = Array.from({ length: 20 }, () => sessions.createCode());
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(Buffer.from(code, "base64url")).toHaveLength(32);
  });

  test("starts one session, with all scopes, for 12 hours", () => {
    const { clock, sessions } = open();
    const code = sessions.createCode();
    const session = sessions.start(code);
    expect(session).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/),
      scopes: ["read", "call", "decide"],
      expiresAt: clock.now() + 12 * hour,
      caller: { id: "ada" },
    });
    expect(session?.token).not.toBe(code);
    expect(sessions.start(code)).toBeUndefined();
  });

  test("is valid for less than 2 minutes", async () => {
    const { clock, sessions } = open();
    const [early, late] = [sessions.createCode(), sessions.createCode()];
    await clock.advance(2 * minute - 1);
    expect(sessions.start(early)).toBeDefined();
    await clock.advance(1);
    expect(sessions.start(late)).toBeUndefined();
  });

  test("is replaced by newer ones when there are more than 64", () => {
    const { sessions } = open();
    const codes = Array.from({ length: 65 }, () => sessions.createCode());
    expect(sessions.start(codes[0] as string)).toBeUndefined();
    expect(sessions.start(codes[1] as string)).toBeDefined();
  });
});

describe("a session", () => {
  test("authenticates the person of the process, by its token alone", () => {
    const { sessions, start } = open();
    const { token } = start();
    expect(sessions.authenticate(withToken(token))).toMatchObject({
      caller: { id: "ada" },
      scopes: ["read", "call", "decide"],
    });
    for (const wrong of [token.slice(0, -1), `${token}0`, sessions.createCode()]) {
      expect(sessions.authenticate(withToken(wrong))).toBeUndefined();
    }
  });

  test("ends after 12 hours without a request, and each request begins them again", async () => {
    const { clock, sessions, start } = open();
    const [used, idle] = [start().token, start().token];
    const ended = sessions.authenticate(withToken(idle))?.session?.ended;
    await clock.advance(11 * hour);
    expect(sessions.authenticate(withToken(used))).toBeDefined();
    await clock.advance(1 * hour);
    expect(ended?.aborted).toBe(true);
    expect(sessions.authenticate(withToken(idle))).toBeUndefined();
    await clock.advance(10 * hour);
    expect(sessions.authenticate(withToken(used))).toBeDefined();
    await clock.advance(12 * hour);
    expect(sessions.authenticate(withToken(used))).toBeUndefined();
  });

  test("ends when 64 others were used later", () => {
    const { sessions, start } = open();
    const [first, second] = [start().token, start().token];
    sessions.authenticate(withToken(first));
    for (let count = 2; count < 64; count++) start();
    expect(sessions.authenticate(withToken(second))).toBeDefined();
    sessions.authenticate(withToken(first));
    for (let count = 0; count < 63; count++) start();
    expect(sessions.authenticate(withToken(second))).toBeUndefined();
    expect(sessions.authenticate(withToken(first))).toBeDefined();
  });

  test.each([
    ["without a caller", {}],
    ["with a caller without an id", { caller: { id: "" } }],
    ["of a program", { caller: { id: "ada", agent: "helper" } }],
    ["with an unknown option", { caller: { id: "ada" }, idleMs: 1 }],
  ])("%s is refused", (_, options) => {
    expect(failure(() => new ConsoleSessions(options as never)).code).toBe("invalid_configuration");
  });
});

describe("the exchange of a code", () => {
  test("returns a token with which the API answers, and DELETE ends it", async () => {
    const console = new TestConsole();
    const json = { code: console.sessions.createCode() };
    const { status, body } = await console.send<Session>("/session", { as: null, json });
    expect(status).toBe(201);
    const headers = { authorization: `Bearer ${body.token}` };
    const request = { as: null, headers };
    expect((await console.send("/api/status", request)).status).toBe(200);
    expect((await console.send("/session", { ...request, method: "DELETE" })).status).toBe(204);
    expect((await console.send("/api/status", request)).status).toBe(401);
    expect((await console.send("/api/status")).status).toBe(200);
  });

  test("has the same response for a wrong, a used and an expired code", async () => {
    const console = new TestConsole();
    const [used, expired] = [console.sessions.createCode(), console.sessions.createCode()];
    await console.send("/session", { as: null, json: { code: used } });
    await console.clock.advance(2 * minute);
    const responses = await Promise.all(
      ["wrong", "", used, expired].map((code) =>
        console.send("/session", { as: null, json: { code } }),
      ),
    );
    for (const { status, body } of responses) {
      expect([status, body]).toEqual([403, responses[0]?.body]);
    }
    expect(responses[0]?.body["code"]).toBe("code_invalid");
  });

  test.each([
    ["no code", {}, 422],
    ["a code that is a list", { code: ["x"] }, 422],
    ["a further member", { code: "x", scopes: ["decide"] }, 422],
  ])("with %s is refused", async (_, json, expected) => {
    const console = new TestConsole();
    expect((await console.send("/session", { as: null, json })).status).toBe(expected);
  });

  test("does not take the code from the address", async () => {
    const console = new TestConsole();
    const code = console.sessions.createCode();
    const { status } = await console.send(`/session?code=${code}`, { as: null, json: {} });
    expect(status).toBe(422);
    expect(console.sessions.start(code)).toBeDefined();
  });

  test("is not for programs: the token of one ends no session", async () => {
    const console = new TestConsole();
    const { status } = await console.send("/session", { as: "agent", method: "DELETE" });
    expect(status).toBe(404);
    expect((await console.send("/api/status")).status).toBe(200);
  });
});
