import type { Credential, CredentialKey } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrAbsent: Check = (value) => value === undefined || isText(value);
const isTextsOrAbsent: Check = (value) =>
  value === undefined || (Array.isArray(value) && value.every(isText));
const isNumberOrAbsent: Check = (value) => value === undefined || Number.isFinite(value);

/** By type: what each member has to be. */
const members: Readonly<Record<Credential["type"], Readonly<Record<string, Check>>>> = {
  secret: { secret: isText },
  password: { username: isText, password: isText },
  token: {
    accessToken: isText,
    expiresAt: isNumberOrAbsent,
    refreshToken: isTextOrAbsent,
    scopes: isTextsOrAbsent,
    bound: (value) => value === undefined || isBinding(value),
  },
  client: {
    issuer: isText,
    clientId: isText,
    clientSecret: isTextOrAbsent,
    clientAuthentication: isTextOrAbsent,
    redirectUri: isTextOrAbsent,
    scopes: isTextsOrAbsent,
    expiresAt: isNumberOrAbsent,
  },
  certificate: { certificate: isText, privateKey: isText, passphrase: isTextOrAbsent },
};

/** One name for one key. */
export function credentialName({ source, scheme, caller }: CredentialKey): string {
  if (isText(source) && isText(scheme) && isTextOrAbsent(caller)) {
    return JSON.stringify([source, scheme, caller ?? null]);
  }
  throw new ToolError("internal", "A credential's key needs a source and a scheme as texts.");
}

/**
 * The credential as a store writes it.
 *
 * @throws ToolError `internal` for what is none; the message does not show it.
 */
export function credentialJson(credential: Credential): string {
  if (isCredential(credential)) return JSON.stringify(credential);
  throw new ToolError(
    "internal",
    "What should be kept is no credential: its type is secret, password, token, client or certificate, and its members are those of the type.",
  );
}

/** A credential as it was written; `undefined` for anything else. */
export function readCredential(json: string): Credential | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCredential(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== "object" || value === null) return false;
  const { type, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || !Object.hasOwn(members, type)) return false;
  return Object.entries(members[type as Credential["type"]]).every(([name, check]) =>
    check(rest[name]),
  );
}

function isBinding(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { resource, client } = value as Readonly<Record<string, unknown>>;
  return isText(resource) && isCredential(client) && client.type === "client";
}
