import type { JsonObject } from "@toolweave/core";
import type { Credential } from "@toolweave/core/stores";
import type { OpenApiAuth } from "../../../src/index.ts";

/** One of each kind. */
export const securitySchemes: JsonObject = {
  header: { type: "apiKey", in: "header", name: "X-Key" },
  header2: { type: "apiKey", in: "header", name: "x-key" },
  query: { type: "apiKey", in: "query", name: "key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  bearer: { type: "http", scheme: "Bearer" },
  basic: { type: "http", scheme: "basic" },
  digest: { type: "http", scheme: "digest" },
  hoba: { type: "http", scheme: "HOBA" },
  oauth: {
    type: "oauth2",
    flows: { implicit: { authorizationUrl: "https://login.example", scopes: { read: "" } } },
  },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://login.example/.well-known/x" },
  authorizationKey: { type: "apiKey", in: "header", name: "Authorization" },
  mtls: { type: "mutualTLS" },
  host: { type: "apiKey", in: "header", name: "Host" },
  length: { type: "apiKey", in: "header", name: "Content-Length" },
  split: { type: "apiKey", in: "header", name: "X\r\nX-Key" },
  prototype: { type: "apiKey", in: "header", name: "__proto__" },
  half: { type: "apiKey", in: "query", name: "\ud800" },
  pair: { type: "apiKey", in: "cookie", name: "a=b; sid" },
} as unknown as JsonObject;

/** The credentials in a request; no others may be in it. */
interface Sent {
  readonly authorization?: string;
  readonly "x-key"?: string;
  readonly cookie?: string;
  readonly query?: string;
}

/** A document and credentials in, a request out. */
export interface RequirementCase {
  readonly section: string;
  readonly says: string;
  readonly security?: JsonObject[];
  /** The document's own, if the operation has none. */
  readonly all?: JsonObject[];
  readonly auth: OpenApiAuth;
  /** The store's credentials for the caller `ada`, who calls. */
  readonly store?: Readonly<Record<string, Credential>>;
  readonly sent: Sent;
}

/** A key in the header `X-Key`. */
export const a: JsonObject = { header: [] };
/** A key in the query. */
export const b: JsonObject = { query: [] };
const login = { username: "ada", password: "lovelace" };
const basic = `Basic ${btoa("ada:lovelace")}`;
/** A text in a store. */
export const secret = (text: string): Credential => ({ type: "secret", secret: text });
/** A token in a store. */
export const token = (accessToken: string, scopes?: string[]): Credential => ({
  type: "token",
  accessToken,
  ...(scopes === undefined ? {} : { scopes }),
});

// Sections of OpenAPI 3.2.0; its numbers are those of the objects that it describes.
const requirement = "4.30 Security Requirement Object";
const scheme = "4.27 Security Scheme Object";
const operation = "4.10 Operation Object, security";

/** Rows by section of the specification. */
export const cases: readonly RequirementCase[] = [
  // All of one requirement.
  {
    section: requirement,
    says: "AND: both",
    security: [{ ...a, ...b }],
    auth: { apiKey: "K" },
    sent: { "x-key": "K", query: "key=K" },
  },
  {
    section: requirement,
    says: "AND: three places",
    security: [{ ...a, ...b, cookie: [], bearer: [] }],
    auth: { apiKey: "K", bearer: "T" },
    sent: { "x-key": "K", query: "key=K", cookie: "sid=K", authorization: "Bearer T" },
  },
  {
    section: requirement,
    says: "AND: one from the store, one from the host",
    security: [{ ...a, bearer: [] }],
    auth: { bearer: "T" },
    store: { header: secret("ADA") },
    sent: { "x-key": "ADA", authorization: "Bearer T" },
  },
  {
    section: requirement,
    says: "AND: the existing part of an incomplete one",
    security: [{ ...a, bearer: [] }],
    auth: { bearer: "T" },
    sent: { authorization: "Bearer T" },
  },
  // One of them.
  {
    section: requirement,
    says: "OR: the first that exists",
    security: [a, b],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "OR: the second, if the first does not exist",
    security: [a, { bearer: [] }],
    auth: { bearer: "T" },
    sent: { authorization: "Bearer T" },
  },
  {
    section: requirement,
    says: "OR of ANDs: the first complete one",
    security: [
      { ...a, bearer: [] },
      { ...b, basic: [] },
    ],
    auth: { apiKey: "K", basic: login },
    sent: { query: "key=K", authorization: basic },
  },
  {
    section: requirement,
    says: "OR: the first for which the caller has a credential",
    security: [a, { oauth: [] }],
    auth: {},
    store: { oauth: token("ADA") },
    sent: { authorization: "Bearer ADA" },
  },
  {
    section: requirement,
    says: "OR: the document's order, not the store's",
    security: [a, { oauth: [] }],
    auth: { apiKey: "K" },
    store: { oauth: token("ADA") },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "OR: one with the scopes",
    security: [{ oauth: ["write"] }, a],
    auth: { apiKey: "K" },
    store: { oauth: token("ADA", ["read"]) },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "OR: an expired token does not exist",
    security: [{ oauth: [] }, a],
    auth: { apiKey: "K" },
    store: { oauth: { type: "token", accessToken: "OLD", expiresAt: 1 } },
    sent: { "x-key": "K" },
  },
  // Two for one place.
  {
    section: requirement,
    says: "AND that no request can satisfy: the next",
    security: [{ bearer: [], basic: [] }, a],
    auth: { apiKey: "K", bearer: "T", basic: login },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "AND of one header in two spellings: one key",
    security: [{ header: [], header2: [] }, b],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "AND of one header in two spellings, with the key of the second: that key",
    security: [{ header: [], header2: [] }],
    auth: { schemes: { header2: "K" } },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "AND of one header in two spellings, with different keys: the next",
    security: [{ header: [], header2: [] }, b],
    auth: { apiKey: "K", schemes: { header2: "L" } },
    sent: { query: "key=K" },
  },
  {
    section: requirement,
    says: "AND that no request can satisfy, alone: the first of its credentials",
    security: [{ bearer: [], basic: [] }],
    auth: { bearer: "T", basic: login },
    sent: { authorization: "Bearer T" },
  },
  // None of them.
  {
    section: requirement,
    says: "optional: with credentials, if there are some",
    security: [{}, a],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: requirement,
    says: "optional: without, if there are none",
    security: [{}, a],
    auth: { bearer: "T" },
    sent: {},
  },
  {
    section: requirement,
    says: "optional: without, if they do not suffice",
    security: [{ oauth: ["write"] }, {}],
    auth: {},
    store: { oauth: token("ADA", ["read"]) },
    sent: {},
  },
  {
    section: operation,
    says: "an empty list removes the document's",
    security: [],
    all: [a],
    auth: { apiKey: "K" },
    sent: {},
  },
  {
    section: operation,
    says: "none: the document's",
    all: [a],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: operation,
    says: "its own instead of the document's",
    security: [b],
    all: [a],
    auth: { apiKey: "K" },
    sent: { query: "key=K" },
  },
  // Credentials that no request can carry.
  {
    section: requirement,
    says: "OR: none whose name cannot be sent",
    security: [{ host: [] }, { length: [] }, { split: [] }, { prototype: [] }, { half: [] }, b],
    auth: { apiKey: "K" },
    sent: { query: "key=K" },
  },
  {
    section: requirement,
    says: "OR: none that would be two cookies",
    security: [{ pair: [] }, a],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: scheme,
    says: "mutualTLS at a server without TLS: the next",
    security: [{ mtls: [] }, a],
    auth: { apiKey: "K", schemes: { mtls: { certificate: "C", privateKey: "P" } } },
    sent: { "x-key": "K" },
  },
  // Each of them.
  {
    section: scheme,
    says: "apiKey in a header",
    security: [a],
    auth: { apiKey: "K" },
    sent: { "x-key": "K" },
  },
  {
    section: scheme,
    says: "apiKey in the query",
    security: [b],
    auth: { apiKey: "K&+ü" },
    sent: { query: "key=K%26%2B%C3%BC" },
  },
  {
    section: scheme,
    says: "apiKey in a cookie",
    security: [{ cookie: [] }],
    auth: { apiKey: "K" },
    sent: { cookie: "sid=K" },
  },
  {
    section: scheme,
    says: "apiKey in Authorization is sent as it is",
    security: [{ authorizationKey: [] }],
    auth: { apiKey: "Token K" },
    sent: { authorization: "Token K" },
  },
  {
    section: scheme,
    says: "http basic",
    security: [{ basic: [] }],
    auth: { basic: login },
    sent: { authorization: basic },
  },
  {
    section: scheme,
    says: "http basic from the store",
    security: [{ basic: [] }],
    auth: {},
    store: { basic: { type: "password", ...login } },
    sent: { authorization: basic },
  },
  {
    section: scheme,
    says: "http bearer, in any case",
    security: [{ bearer: [] }],
    auth: { bearer: "T" },
    sent: { authorization: "Bearer T" },
  },
  {
    section: scheme,
    says: "http digest: nothing before the challenge",
    security: [{ digest: [] }],
    auth: { basic: login },
    sent: {},
  },
  {
    section: scheme,
    says: "another http scheme, as it is declared",
    security: [{ hoba: [] }],
    auth: { schemes: { hoba: 'result="x"' } },
    sent: { authorization: 'HOBA result="x"' },
  },
  {
    section: scheme,
    says: "another http scheme without a credential: the available ones",
    security: [{ hoba: [] }],
    auth: { bearer: "T" },
    sent: { authorization: "Bearer T" },
  },
  {
    section: scheme,
    says: "oauth2 with a token of the host's",
    security: [{ oauth: ["read"] }],
    auth: { bearer: "T" },
    sent: { authorization: "Bearer T" },
  },
  {
    section: scheme,
    says: "openIdConnect with a token of the host's",
    security: [{ oidc: [] }],
    auth: { schemes: { oidc: "T" } },
    sent: { authorization: "Bearer T" },
  },
  {
    section: scheme,
    says: "a scheme's own before the general",
    security: [a],
    auth: { apiKey: "K", schemes: { header: "OWN" } },
    sent: { "x-key": "OWN" },
  },
  {
    section: scheme,
    says: "the caller's before the host's",
    security: [a],
    auth: { schemes: { header: "OWN" } },
    store: { header: secret("ADA") },
    sent: { "x-key": "ADA" },
  },
];
