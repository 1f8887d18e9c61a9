import type { JsonObject, ToolSource } from "@toolweave/core";
import type { CredentialStore } from "@toolweave/core/stores";
import { openApiSource } from "@toolweave/openapi";

/** The key of the credential of the API. */
export const apiCredential = { source: "api", scheme: "oauth", caller: "ada" } as const;

/** The tool `get_profile` of an API on loopback, whose authorization server is at the same origin. */
export function apiSource(
  { origin, clientId }: { readonly origin: string; readonly clientId: string },
  credentials: CredentialStore,
): ToolSource {
  const document: JsonObject = {
    openapi: "3.1.0",
    info: { title: "Profiles", version: "1" },
    paths: {
      "/profile": {
        get: {
          operationId: "get_profile",
          security: [{ oauth: [] }],
          responses: { "200": { description: "The profile." } },
        },
      },
    },
    components: {
      securitySchemes: {
        oauth: {
          type: "oauth2",
          flows: {
            authorizationCode: {
              authorizationUrl: `${origin}/auth`,
              tokenUrl: `${origin}/token`,
              scopes: {},
            },
          },
        },
      },
    },
  };
  return openApiSource.fromDocument(document, {
    id: apiCredential.source,
    baseUrl: origin,
    allowOrigins: [origin],
    auth: {
      store: credentials,
      schemes: { oauth: { clientId, redirectUri: `${origin}/callback` } },
    },
  });
}
