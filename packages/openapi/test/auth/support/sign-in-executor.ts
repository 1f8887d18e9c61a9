import {
  ToolExecutor,
  ToolRegistry,
  type Interruption,
  type JsonObject,
  type ToolEvent,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";
import type { AuthRequest } from "@toolweave/core/adapter";
import {
  memoryPendingCalls,
  type CredentialStore,
  type PendingCallStore,
} from "@toolweave/core/stores";
import { onTestFinished } from "vitest";
import { openApiSource, type OAuthRegistration, type OpenApiOptions } from "../../../src/index.ts";
import { clientSecret, redirectUri, type GuardedApi } from "./guarded-api.ts";

const key = "thirty-two bytes that only this test knows";

/** The registered client of the tests. */
export const registration: OAuthRegistration = { clientId: "shop", clientSecret, redirectUri };

/** The API's document. */
function createDocument({ origin, issuer }: GuardedApi, security: JsonObject[]): JsonObject {
  const scopes = { read: "", write: "", openid: "", offline_access: "" };
  const operation = (operationId: string): JsonObject => ({
    operationId,
    security,
    responses: { "200": { description: "ok" } },
  });
  return {
    openapi: "3.2.0",
    info: { title: "Guarded", version: "1" },
    servers: [{ url: origin }],
    paths: {
      "/whoami": { get: operation("whoami") },
      "/echo": { get: operation("echo") },
    },
    components: {
      securitySchemes: {
        oauth: {
          type: "oauth2",
          flows: {
            clientCredentials: { tokenUrl: `${issuer}/token`, scopes },
            authorizationCode: {
              authorizationUrl: `${issuer}/auth`,
              tokenUrl: `${issuer}/token`,
              scopes,
            },
            deviceAuthorization: {
              deviceAuthorizationUrl: `${issuer}/device/auth`,
              tokenUrl: `${issuer}/token`,
              scopes,
            },
          },
        },
        oidc: {
          type: "openIdConnect",
          openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
        },
        metadata: {
          type: "oauth2",
          flows: {},
          oauth2MetadataUrl: `${issuer}/.well-known/openid-configuration`,
        },
        key: { type: "apiKey", in: "header", name: "X-Key" },
      },
    },
  };
}

/** A simulated process: a source, a registry and an executor, with shared stores. */
export interface Process {
  readonly executor: ToolExecutor;
  readonly registry: ToolRegistry;
  readonly events: ToolEvent[];
  call(caller?: string, name?: string): Promise<ToolOutcome>;
}

/** The state that processes share. */
export interface Shared {
  readonly api: GuardedApi;
  readonly security?: JsonObject[];
  readonly schemes?: NonNullable<OpenApiOptions["auth"]>["schemes"];
  readonly store?: CredentialStore;
  readonly pendingCalls?: PendingCallStore;
  readonly options?: OpenApiOptions;
}

/** Starts one; it ends with the test. */
export async function startProcess({
  api,
  security = [{ oauth: ["read"] }],
  schemes = { oauth: registration },
  store,
  pendingCalls = memoryPendingCalls(),
  options = {},
}: Shared): Promise<Process> {
  const source = openApiSource.fromDocument(createDocument(api, security), {
    id: "guarded",
    allowOrigins: [api.issuer, api.origin],
    credentialOrigins: [api.issuer, api.origin],
    ...options,
    auth: { schemes: schemes ?? {}, ...(store === undefined ? {} : { store }), ...options.auth },
  });
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  await registry.ready;
  const executor = new ToolExecutor({ registry, key, pendingCalls });
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  return {
    executor,
    registry,
    events,
    call: (caller, name = "whoami") =>
      executor.execute(
        { id: "call_1", name, arguments: {} },
        caller === undefined ? {} : { caller: { id: caller } },
      ),
  };
}

/** The interruption of a call that waits for a person. */
export function getInterruption(outcome: ToolOutcome): Interruption {
  if (outcome.status === "interrupted") return outcome.interruption;
  throw new Error(`not interrupted: ${JSON.stringify(outcome)}`);
}

/** The request that a person receives. */
export function getRequest(interruption: Interruption): AuthRequest & { readonly url: string } {
  const [request] = interruption.requests;
  if (request?.type === "auth" && request.url !== undefined) {
    return request as AuthRequest & { readonly url: string };
  }
  throw new Error(`no sign-in: ${JSON.stringify(interruption.requests)}`);
}

/** The result of a call that has ended. */
export function getResult(outcome: ToolOutcome): ToolResult {
  if (outcome.status !== "interrupted") return outcome.result;
  throw new Error(`interrupted: ${JSON.stringify(outcome.interruption.requests)}`);
}
