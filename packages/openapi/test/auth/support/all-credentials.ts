import type { JsonObject } from "@toolweave/core";
import type { OpenApiAuth } from "../../../src/index.ts";

/** A scheme of each kind, with a descriptive name. */
export const securitySchemes: JsonObject = {
  header_key: { type: "apiKey", in: "header", name: "X-Key" },
  query_key: { type: "apiKey", in: "query", name: "key&" },
  cookie_key: { type: "apiKey", in: "cookie", name: "sid" },
  bearer: { type: "http", scheme: "bearer" },
  basic: { type: "http", scheme: "basic" },
  oauth: { type: "oauth2", flows: {} },
  digest: { type: "http", scheme: "digest" },
  mtls: { type: "mutualTLS" },
};

/** The credentials of a host that need no scheme's name. */
export const auth: Required<Pick<OpenApiAuth, "bearer" | "basic" | "apiKey">> = {
  bearer: "TOKEN",
  basic: { username: "me", password: "sécret" },
  apiKey: "KEY+123",
};

/** The header that `auth.basic` becomes. */
export const basicHeader: string = `Basic ${Buffer.from("me:sécret").toString("base64")}`;
