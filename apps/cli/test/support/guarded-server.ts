import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

type Json = Readonly<Record<string, unknown>>;

/**
 * An MCP server over HTTP that requires a sign-in, and is its own authorization server: every
 * request is signed in at once, and the code is bound to the verifier (RFC 7636).
 */
export async function guardedServer(): Promise<{ readonly url: string }> {
  const challenges = new Map<string, string>();
  const tokens = new Set<string>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", origin);
    const body = await text(request);
    const json = (value: Json, status = 200, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    }
    if (url.pathname.startsWith("/.well-known/oauth-authorization-server")) {
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    }
    if (url.pathname === "/register") {
      return json({ client_id: "toolweave", ...(JSON.parse(body) as Json) }, 201);
    }
    if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      const code = randomUUID();
      challenges.set(code, url.searchParams.get("code_challenge") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    if (url.pathname === "/token") {
      const form = new URLSearchParams(body);
      const made = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (challenges.get(form.get("code") ?? "") !== made)
        return json({ error: "invalid_grant" }, 400);
      const token = randomUUID();
      tokens.add(token);
      return json({ access_token: token, token_type: "Bearer", expires_in: 3600 });
    }
    if (url.pathname !== "/mcp") return json({}, 404);
    if (!tokens.has(request.headers.authorization?.slice("Bearer ".length) ?? "")) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      return json({}, 401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` });
    }
    if (request.method !== "POST") return json({}, 405);
    const { id, method } = JSON.parse(body) as { id?: unknown; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method];
    if (result !== undefined) return json({ jsonrpc: "2.0", id, result });
    return json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  }

  return { url: `${origin}/mcp` };
}

const results: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "guarded", version: "1" },
  },
  ping: {},
  "tools/list": { tools: [{ name: "ask", description: "Ask.", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "Signed in." }] },
};
