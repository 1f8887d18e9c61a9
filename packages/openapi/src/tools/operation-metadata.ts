import type { Metadata } from "@toolweave/core";
import { displayUrl } from "../document/loading/display-url.ts";
import type { OperationDetails } from "../document/operation.ts";

/**
 * What a call of an operation depends on and its schemas do not say: where it goes, with which credentials, and how
 * arguments are written. It is part of the tool's spec, so that no approval outlives a change of it.
 *
 * @returns the servers that the document names, without what may be secret in them, and `request`, a SHA-256 of the rest.
 */
export function operationMetadata({
  servers,
  security,
  parameters,
  body,
}: OperationDetails): Metadata {
  const written = parameters.map(({ name, in: place, style, explode, allowReserved, ...rest }) => [
    [name, place, style, explode, allowReserved],
    [rest.delimiter, rest.mediaType],
  ]);
  const credentials = security.map((uses) =>
    uses.map(({ scheme, scopes, declaration: { type, name, in: place, scheme: kind } = {} }) => [
      [scheme, scopes],
      [type, name, place, kind],
    ]),
  );
  const media = body?.media.map(({ mediaType, encoding, prefixEncoding, itemEncoding }) => [
    [mediaType, encoding, prefixEncoding, itemEncoding],
  ]);
  const text = JSON.stringify([written, credentials, media]);
  return {
    servers: servers.map(displayUrl),
    request: process
      .getBuiltinModule("node:crypto")
      .createHash("sha256")
      .update(text)
      .digest("base64url"),
  };
}
