import { describe, expect, it } from "vitest";
import { ask, echo, listening } from "../../support/open-listener.ts";

const statusFor = async (url: string, headers: Record<string, string>): Promise<number> =>
  (await ask(url, { headers })).status;

describe("a request for another host", () => {
  it("is rejected: a page's own name may resolve to this address (DNS rebinding)", async () => {
    const { url } = await listening();
    const { port } = new URL(url);
    for (const host of [
      "evil.test",
      `evil.test:${port}`,
      "localhost.evil.test",
      "127.0.0.1.x",
      "a@b",
    ]) {
      expect(await statusFor(url, { host })).toBe(403);
    }
    for (const host of ["localhost", `localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect(await statusFor(url, { host })).toBe(200);
    }
  });

  it("is accepted for a listed host or the public one", async () => {
    const { url } = await listening(echo, {
      allowedHosts: ["tools.internal"],
      publicUrl: "https://tools.example.com/mcp",
    });
    expect(await statusFor(url, { host: "tools.internal:80" })).toBe(200);
    expect(await statusFor(url, { host: "tools.example.com" })).toBe(200);
    expect(await statusFor(url, { host: "example.com" })).toBe(403);
  });

  it("that names an address is accepted by a gateway that listens on all addresses", async () => {
    const { url } = await listening(echo, { host: "0.0.0.0", allowUnauthenticated: true });
    expect(await statusFor(url, { host: "10.1.2.3:80" })).toBe(200);
    expect(await statusFor(url, { host: "[fe80::1]" })).toBe(200);
    expect(await statusFor(url, { host: "evil.test" })).toBe(403);
  });
});

describe("a web page", () => {
  it("of another origin is rejected", async () => {
    const { url } = await listening();
    for (const origin of ["https://evil.test", "null", "http://localhost.evil.test", "file://"]) {
      expect(await statusFor(url, { origin })).toBe(403);
    }
  });

  it("on loopback is accepted, but the browser does not let it read the response", async () => {
    const { url } = await listening();
    const { status, headers } = await ask(url, { headers: { origin: "http://localhost:3000" } });
    expect(status).toBe(200);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    const asked = { origin: "http://localhost:3000", "access-control-request-method": "POST" };
    const preflight = await ask(url, { method: "OPTIONS", headers: asked });
    expect(preflight.headers["access-control-allow-methods"]).toBeUndefined();
  });

  it("of an allowed origin can read responses and errors, and one of a similar origin cannot", async () => {
    const origin = "https://inspector.example.com";
    const { url } = await listening(echo, { allowedOrigins: [origin], token: "t".repeat(32) });
    const preflight = await ask(url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-headers": "authorization, mcp-param-region" },
    });
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-allow-headers": "authorization, mcp-param-region",
        vary: "Origin",
      },
    });
    const refused = await ask(url, { headers: { origin } });
    expect(refused.status).toBe(401);
    expect(refused.headers["access-control-allow-origin"]).toBe(origin);
    for (const other of [`${origin}:8443`, "http://inspector.example.com", `${origin}.evil.test`]) {
      expect(await statusFor(url, { origin: other })).toBe(403);
    }
  });
});
