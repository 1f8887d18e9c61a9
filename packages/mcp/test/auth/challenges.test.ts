import { expect, test } from "vitest";
import { readChallenge } from "../../src/auth/sign-in-required.ts";
import type { HttpRejection } from "../../src/transport/messages/mcp-connection.ts";

function read(wwwAuthenticate: string): unknown {
  const rejection = { status: 401, wwwAuthenticate } as HttpRejection;
  const { scopes, metadataUrl, error } = readChallenge(rejection);
  return [scopes, metadataUrl?.href, error];
}

test.each<[string, unknown]>([
  ['Bearer scope="a b", error="invalid_token"', [["a", "b"], undefined, "invalid_token"]],
  ['Basic realm="x, Bearer scope=bad", Bearer scope="good"', [["good"], undefined, undefined]],
  ['Bearer realm="a, scope=bad", scope=good', [["good"], undefined, undefined]],
  ['Bearer scope="a", Digest error="x", nonce="y"', [["a"], undefined, undefined]],
  ["bearer resource_metadata=https://a.test/x scope=b", [["b"], "https://a.test/x", undefined]],
  ["Negotiate abc=, BEARER", [[], undefined, undefined]],
  ["", [[], undefined, undefined]],
])("of the challenges %j, that of the bearer scheme is read", (header, expected) => {
  expect(read(header)).toEqual(expected);
});
