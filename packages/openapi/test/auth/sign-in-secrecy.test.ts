import { ToolExecutor, ToolRegistry, type JsonObject, type ToolEvent } from "@toolweave/core";
import { memoryCredentials, memoryPendingCalls } from "@toolweave/core/stores";
import { expect, onTestFinished, test } from "vitest";
import { openApiSource, type OAuthFlow } from "../../src/index.ts";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";
import { getInterruption, getRequest } from "./support/sign-in-executor.ts";

const key = "thirty-two bytes that only this test knows";
const secret = "S3cret-of-the-shop-4711";
const code = "Code-that-came-back-1234";
const redirectUri = "http://127.0.0.1:9/callback";

/** An authorization server that repeats everything it receives, and an API that does. */
async function gossips(): Promise<{
  readonly server: RecordingServer;
  readonly api: RecordingServer;
  /** The values that it has issued. */
  readonly issued: string[];
}> {
  const issued: string[] = [];
  const server = await RecordingServer.start((recorded, response) => {
    const json = (status: number, value: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    const received = `${recorded.body.toString()} ${recorded.headers["authorization"]}`;
    if (recorded.path === "/device") {
      const device = `Device-code-${issued.length}-abcdefgh`;
      issued.push(device);
      return json(200, {
        device_code: device,
        user_code: "ABCD-EFGH",
        verification_uri: `${server.origin}/verify`,
        expires_in: 600,
        interval: 1,
      });
    }
    if (issued.includes("no"))
      return json(400, { error: "invalid_grant", error_description: received });
    const tokens = {
      access_token: `Access-token-${issued.length}-abcdefgh`,
      refresh_token: `Refresh-token-${issued.length}-abcdefgh`,
    };
    issued.push(...Object.values(tokens));
    json(200, { ...tokens, token_type: "Bearer", expires_in: 3600 });
  });
  const api = await RecordingServer.start((recorded, response) => {
    const status = recorded.path === "/bad" ? 401 : 200;
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ received: recorded.headers, all: [...issued, secret] }));
  });
  onTestFinished(async () => {
    await server.close();
    await api.close();
  });
  return { server, api, issued };
}

test.each<[OAuthFlow]>([["authorizationCode"], ["deviceAuthorization"]])(
  "SE02 SE03: nothing secret of the flow %s is in a result, an error, an event or an interruption",
  async (flow) => {
    const { server, api, issued } = await gossips();
    const urls = {
      tokenUrl: `${server.origin}/token`,
      authorizationUrl: `${server.origin}/auth`,
      deviceAuthorizationUrl: `${server.origin}/device`,
    };
    const operation = (operationId: string): JsonObject => ({
      get: { operationId, security: [{ oauth: [] }], responses: {} },
    });
    const document = {
      openapi: "3.2.0",
      info: {},
      paths: { "/good": operation("good"), "/bad": operation("bad") },
      components: { securitySchemes: { oauth: { type: "oauth2", flows: { [flow]: urls } } } },
    };
    const oauth = { clientId: "shop", clientSecret: secret, redirectUri, flow, ...urls };
    const auth = { store: memoryCredentials(), schemes: { oauth } };
    const pendingCalls = memoryPendingCalls();
    const seen: unknown[] = [];
    const events: ToolEvent[] = [];
    const startProcess = async (): Promise<ToolExecutor> => {
      const source = openApiSource.fromDocument(document, {
        id: "gossip",
        baseUrl: api.origin,
        auth,
      });
      const registry = new ToolRegistry([source]);
      onTestFinished(() => registry.close());
      await registry.ready;
      const executor = new ToolExecutor({ registry, pendingCalls, key });
      executor.on((event) => events.push(event));
      return executor;
    };
    const executor = await startProcess();
    const run = async (name: string): Promise<void> => {
      const outcome = await executor.execute({ id: "1", name, arguments: {} });
      seen.push(outcome, "error" in outcome ? String(outcome.error?.stack) : "");
      if (outcome.status !== "interrupted") return;
      const interruption = getInterruption(outcome);
      const state = new URL(getRequest(interruption).url).searchParams.get("state") ?? "";
      const value = `${redirectUri}?code=${code}&state=${state}`;
      const done = await (
        await startProcess()
      ).resume(interruption, [
        flow === "authorizationCode" ? { type: "input", value } : { type: "approve" },
      ]);
      seen.push(done, "error" in done ? String(done.error?.stack) : "");
      expect(done.status).toBe(issued.includes("no") ? "failed" : "completed");
    };

    await run("good");
    await run("good");
    // The API refuses the token, and the server its renewal, and the next sign-in as well.
    issued.push("no");
    await run("bad");
    await run("good");

    const bodies = server.requests.map(
      (recorded: Recorded) => new URLSearchParams(recorded.body.toString()),
    );
    const secrets = [
      secret,
      ...issued.filter((text) => text !== "no"),
      ...bodies.flatMap((body) =>
        ["code", "code_verifier", "refresh_token", "device_code"].flatMap((name) =>
          body.getAll(name),
        ),
      ),
    ];
    expect(new Set(secrets).size).toBeGreaterThan(4);
    const all = JSON.stringify([seen, events]);
    for (const one of secrets) expect(all).not.toContain(one);
    expect(all).toContain("[redacted]");
  },
);
