import { ToolError } from "@toolweave/core";
import { readElement } from "./xml.ts";

/** A bucket as errors name it: without credentials. */
export interface BucketName {
  readonly bucket: string;
  readonly origin: string;
}

/** The part of an answer that an error is made of. */
interface RefusedAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The problem and its correction, and whether the same request may succeed later. */
type Refusal = readonly [text: string, retryable: boolean];

/** By the code of an answer. */
const refusals: Readonly<Record<string, Refusal>> = {
  NoSuchBucket: ["does not exist: create it, or correct the option bucket", false],
  InvalidAccessKeyId: ["does not know the access key: correct the credentials", false],
  SignatureDoesNotMatch: [
    "has refused the signature: correct the secret access key and the region",
    false,
  ],
  AccessDenied: [
    "has denied access: give the credentials the right to get, put and delete objects, and to list and abort multipart uploads",
    false,
  ],
  ExpiredToken: ["has refused credentials that have expired: return new ones", true],
  RequestTimeTooSkewed: ["has refused the time of this machine: set its clock", true],
  XAmzContentSHA256Mismatch: ["has received other bytes than were signed", true],
  BadDigest: ["has received other bytes than were signed", true],
};

/** The code in the body of an answer, such as `NoSuchKey`; empty: it has none. */
export function errorCode(body: Uint8Array): string {
  const code = readElement(new TextDecoder().decode(body), "Code") ?? "";
  return /^\w{1,64}$/.test(code) ? code : "";
}

/** `store_unavailable` for an answer that is an error. The body, which may repeat what was signed, is not part of it. */
export function refusedError(
  name: BucketName,
  method: string,
  { status, body }: RefusedAnswer,
): ToolError {
  const code = errorCode(body);
  const isRedirect = status >= 300 && status < 400;
  const [text, retryable]: Refusal = isRedirect
    ? ["is at another address: correct the options endpoint and region", false]
    : (refusals[code] ?? ["has refused a request", status >= 500 || status === 429]);
  const answer = code === "" ? `${method}: ${status}` : `${method}: ${status} ${code}`;
  return bucketError(name, `${text} (${answer})`, { retryable });
}

/** `store_unavailable` for a request that has no usable answer. */
export function unansweredError(name: BucketName, method: string, cause: unknown): ToolError {
  if (!ToolError.is(cause)) return bucketError(name, "cannot be reached", { cause });
  const texts: Readonly<Record<string, string>> = {
    timeout: "has not answered in time",
    cancelled: "was closed",
    upstream: "has sent an answer that cannot be read",
    permission_denied: "is at an address that is not allowed",
  };
  const isLate = ToolError.is(cause.cause) && cause.cause.code === "timeout";
  const text = (isLate ? texts["timeout"] : texts[cause.code]) ?? "cannot be reached";
  return bucketError(name, `${text} (${method})`, { cause, retryable: cause.retryable || isLate });
}

/** True for an error of `unansweredError`. */
export function isUnanswered(error: unknown): boolean {
  return ToolError.is(error) && ToolError.is(error.cause);
}

/** `store_unavailable` about a bucket. */
export function bucketError(
  { bucket, origin }: BucketName,
  text: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): ToolError {
  return new ToolError(
    "store_unavailable",
    `The bucket "${bucket}" at ${origin} ${text}.`,
    options,
  );
}
