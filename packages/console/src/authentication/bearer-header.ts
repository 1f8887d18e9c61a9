import { createHash } from "node:crypto";

/** Maximum length of a token in characters. */
export const maxTokenLength = 4_096;

/** The token of a request; `undefined`: none, or one that is too long. */
export function getBearerToken(request: Request): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  if (header.length > maxTokenLength + "Bearer ".length) return undefined;
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
}

/** Digests have one length, so that a comparison reveals nothing about the length of a token. */
export function getTokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
