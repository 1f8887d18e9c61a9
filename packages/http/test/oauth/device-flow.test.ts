import type { Clock } from "@toolweave/core";
import { visit } from "@toolweave/test-support/visit";
import { describe, expect, it } from "vitest";
import { httpClient, oauthClient, type OAuthClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve } from "../support/servers.ts";
import { authorizationServer } from "./support/authorization-server.ts";

/** A clock that only advances while code waits. */
function patientClock(): Clock & { time: number; readonly waits: number[] } {
  const clock = {
    time: Date.now(),
    waits: [] as number[],
    now: () => clock.time,
    setTimeout: (callback: () => void, ms: number) => {
      clock.waits.push(ms);
      clock.time += ms;
      return setImmediate(callback) as never;
    },
    clearTimeout: (timer: unknown) => clearImmediate(timer as NodeJS.Immediate),
  };
  return clock;
}

async function onDevice(clock?: Clock) {
  const server = await authorizationServer();
  const { http, discoveryUrl } = server;
  const client = oauthClient({ http, discoveryUrl, clientId: "app", scopes: ["openid"], clock });
  return { server, client };
}

describe("the device flow", () => {
  it("returns a token once the person has approved on another device", async () => {
    const { server, client } = await onDevice(patientClock());
    const begun = await client.beginDevice();
    expect(begun.userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    expect(begun.url).toContain(begun.userCode);
    expect(begun.intervalMs).toBe(5_000);
    expect(await client.finishDevice(begun.state)).toBeUndefined();
    await visit(begun.url);
    const token = await client.finishDevice(begun.state);
    expect(token).toMatchObject({ type: "token", scopes: ["openid"] });
    expect(await server.isGood(token?.accessToken ?? "")).toBe(true);
  });

  it("can be continued in another process", async () => {
    const { server, client } = await onDevice();
    const { url, state } = await client.beginDevice();
    await visit(url);
    const { http, discoveryUrl } = server;
    const other = oauthClient({ http, discoveryUrl, clientId: "app" });
    const restored = JSON.parse(JSON.stringify(state)) as typeof state;
    expect(await other.finishDevice(restored)).toMatchObject({ type: "token" });
  });

  it("needs a new sign-in if the person declines", async () => {
    const { client } = await onDevice();
    const { url, state } = await client.beginDevice();
    await visit(url, { aborts: true });
    const error = await failure(client.finishDevice(state));
    expect(error).toMatchObject({ code: "auth_required", audience: "user" });
    expect(error.message).toContain("access_denied");
  });

  it("needs a new sign-in if the code has expired, and sends no request then", async () => {
    const clock = patientClock();
    const { server, client } = await onDevice(clock);
    const { state, expiresAt } = await client.beginDevice();
    clock.time = expiresAt;
    expect((await failure(client.finishDevice(state))).code).toBe("auth_required");
    expect(server.requests).not.toContain("POST /token");
  });

  it("is a defect of the host if the state is invalid", async () => {
    const { client } = await onDevice();
    expect((await failure(client.finishDevice({ deviceCode: 7 }))).code).toBe(
      "invalid_configuration",
    );
  });
});

describe("polling", () => {
  async function polling(answers: readonly object[], device: object = {}) {
    const clock = patientClock();
    const server = await serve((request, response) => {
      const begins = request.url === "/device";
      const answer = begins ? { ...codes(request.headers.host), ...device } : answers[polls++];
      response.statusCode = answer !== undefined && "error" in answer ? 400 : 200;
      response.end(JSON.stringify(answer));
    });
    let polls = 0;
    const { origin } = server;
    const client: OAuthClient = oauthClient({
      http: httpClient({ givenOrigins: [origin] }),
      clientId: "app",
      deviceAuthorizationUrl: `${origin}/device`,
      tokenUrl: `${origin}/token`,
      clock,
    });
    return { client, clock };
  }
  const codes = (host: string | undefined) => ({
    device_code: "device-code",
    user_code: "ABCD",
    verification_uri: `http://${host}/go`,
    expires_in: 600,
  });
  const pending = { error: "authorization_pending" };
  const token = { access_token: "a", token_type: "bearer" };

  it("waits between two polls as long as the server requests, never before the first", async () => {
    const { client, clock } = await polling([pending, pending, token], { interval: 2 });
    const { state } = await client.beginDevice();
    expect(await client.finishDevice(state)).toBeUndefined();
    expect(clock.waits).toEqual([]);
    expect(await client.finishDevice(state)).toBeUndefined();
    expect(await client.finishDevice(state)).toEqual({ type: "token", accessToken: "a" });
    expect(clock.waits).toEqual([2_000, 2_000]);
  });

  it("does not wait if the time has already passed", async () => {
    const { client, clock } = await polling([pending, token]);
    const { state } = await client.beginDevice();
    await client.finishDevice(state);
    clock.time += 5_000;
    expect(await client.finishDevice(state)).toMatchObject({ accessToken: "a" });
    expect(clock.waits).toEqual([]);
  });

  it("slows down by five seconds for each slow_down (RFC 8628 section 3.5)", async () => {
    const slow = { error: "slow_down" };
    const { client, clock } = await polling([slow, slow, pending, token]);
    const { state } = await client.beginDevice();
    for (let poll = 0; poll < 3; poll++) expect(await client.finishDevice(state)).toBeUndefined();
    expect(await client.finishDevice(state)).toMatchObject({ accessToken: "a" });
    expect(clock.waits).toEqual([10_000, 15_000, 15_000]);
  });

  it("neither waits nor sends a request if the wait would be longer than the caller's deadline", async () => {
    const { client, clock } = await polling([pending, token], { interval: 60 });
    const { state } = await client.beginDevice();
    await client.finishDevice(state);
    expect(await client.finishDevice(state)).toBeUndefined();
    expect(clock.waits).toEqual([]);
    clock.time += 45_000;
    expect(await client.finishDevice(state)).toMatchObject({ accessToken: "a" });
    expect(clock.waits).toEqual([15_000]);
  });

  it("uses the system's clock by default", async () => {
    let polls = 0;
    const server = await serve((request, response) => {
      const begins = request.url === "/device";
      const answer = begins ? { ...codes(request.headers.host), interval: 0.01 } : pending;
      response.statusCode = begins ? 200 : 400;
      if (!begins) polls++;
      response.end(JSON.stringify(answer));
    });
    const { origin } = server;
    const client = oauthClient({
      http: httpClient({ givenOrigins: [origin] }),
      clientId: "app",
      deviceAuthorizationUrl: `${origin}/device`,
      tokenUrl: `${origin}/token`,
    });
    const { state } = await client.beginDevice();
    for (let poll = 0; poll < 3; poll++) await client.finishDevice(state);
    expect(polls).toBe(3);
  });

  it("stops when the caller aborts during the wait", async () => {
    const { client, clock } = await polling([pending]);
    const { state } = await client.beginDevice();
    await client.finishDevice(state);
    const leaving = new AbortController();
    const cleared: unknown[] = [];
    // Only the caller ends this wait.
    clock.setTimeout = () => {
      queueMicrotask(() => leaving.abort());
      return "timer" as never;
    };
    clock.clearTimeout = (timer) => void cleared.push(timer);
    const left = await failure(client.finishDevice(state, leaving.signal));
    expect(left.code).toBe("cancelled");
    expect(cleared).toEqual(["timer"]);
  });

  it("returns the plain page if the server has none with the code in it", async () => {
    const { client } = await polling([]);
    const { url, userCode } = await client.beginDevice();
    expect(url).toMatch(/\/go$/);
    expect(userCode).toBe("ABCD");
  });

  it.each<[string, object]>([
    ["no code to type", { user_code: undefined }],
    ["a code with hidden characters", { user_code: "AB\u200bCD" }],
    ["a very long code", { user_code: "A".repeat(101) }],
    ["no device code", { device_code: "" }],
    ["no end", { expires_in: undefined }],
    ["no page", { verification_uri: undefined }],
    ["a page that is not encrypted", { verification_uri: "http://example.com/go" }],
    ["a page that is a script", { verification_uri_complete: "javascript:alert(1)" }],
    ["a page with a password", { verification_uri: "https://a:b@example.com/" }],
  ])("does not begin with %s", async (_what, device) => {
    const { client } = await polling([], device);
    expect((await failure(client.beginDevice())).code).toBe("upstream");
  });
});
