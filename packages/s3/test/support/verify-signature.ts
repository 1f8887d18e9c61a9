import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** An account of the test server. */
export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const maxSkewMs = 900_000;

/**
 * Verifies the signature of a request by the specification of AWS Signature Version 4, without the code that signs.
 *
 * @returns the code of the refusal; `undefined`: the signature is valid.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function verifySignature(
  request: IncomingMessage,
  { accessKeyId, secretAccessKey, sessionToken }: Account,
  region: string,
  now: number,
): string | undefined {
  const header = (name: string): string => String(request.headers[name] ?? "");
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      header("authorization"),
    );
  if (authorization === null) return "AccessDenied";
  const [, id, day, scope, names = "", signature = ""] = authorization;
  if (id !== accessKeyId) return "InvalidAccessKeyId";
  const date = header("x-amz-date");
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)?.slice(1).map(Number);
  if (parts === undefined || !date.startsWith(day ?? "-") || scope !== region)
    return "AccessDenied";
  const [year = 0, month = 0, ...rest] = parts;
  const time = Date.UTC(year, month - 1, ...rest);
  if (Math.abs(time - now) > maxSkewMs) return "RequestTimeTooSkewed";
  if (header("x-amz-security-token") !== (sessionToken ?? "")) return "InvalidToken";

  const signed = names.split(";");
  const required = Object.keys(request.headers).filter(
    (name) => name === "host" || name.startsWith("x-amz-"),
  );
  if (required.some((name) => !signed.includes(name))) return "AccessDenied";
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const canonicalQuery = query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [encode(decode(name)), encode(decode(value))] as const;
    })
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map((pair) => pair.join("="))
    .join("&");
  const canonical = [
    request.method,
    path
      .split("/")
      .map((segment) => encode(decodeURIComponent(segment)))
      .join("/"),
    canonicalQuery,
    ...signed.map((name) => `${name}:${header(name).trim().replace(/ +/g, " ")}`),
    "",
    names,
    header("x-amz-content-sha256"),
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    date,
    `${day}/${region}/s3/aws4_request`,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const key = [day ?? "", region, "s3", "aws4_request"].reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const expected = createHmac("sha256", key).update(text).digest();
  const isValid = timingSafeEqual(expected, Buffer.from(signature, "hex"));
  return isValid ? undefined : "SignatureDoesNotMatch";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
