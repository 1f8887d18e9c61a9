import { ToolError, type Clock } from "@toolweave/core";
import { checkOptions, systemClock } from "@toolweave/core/adapter";
import type { ArtifactIndex, ArtifactStore } from "@toolweave/core/stores";
import { httpClient } from "@toolweave/http";
import { checkedTimerMs, type StoreKey } from "@toolweave/stores/shared";
import { BucketClient } from "./bucket/bucket-client.ts";
import { isCredentials, RequestSigner, type S3CredentialSource } from "./bucket/credentials.ts";
import { BucketArtifacts } from "./bucket-artifacts.ts";
import { readBytes } from "./object-reader.ts";
import { defaultSizes, type WriteSizes } from "./object-writer.ts";
import { ObjectKeys } from "./sealing/object-keys.ts";

/** Where the bytes of artifacts are stored, and how. */
export interface S3ArtifactsOptions {
  /** The rows of the artifacts: `artifactIndex` of `postgresStore` or `sqliteStore`. It belongs to one bucket. */
  readonly index: ArtifactIndex;
  /** The name of an existing bucket, without versioning. */
  readonly bucket: string;
  /** Such as `eu-central-1`; `auto` for Cloudflare R2, usually `us-east-1` for other services. */
  readonly region: string;
  /** The origin of the service; it may be a private address. Default: that of AWS in the region. */
  readonly endpoint?: string;
  /** Keys, or a function that returns the keys that are valid now. The function is called for each request. */
  readonly credentials: S3CredentialSource;
  /** The beginning of the names of all objects: letters, digits and `._-/`. Default: `artifacts/`. */
  readonly prefix?: string;
  /**
   * Seals the objects with AES-256-GCM: at least 32 bytes. To rotate it, pass a list: the first one seals, every one
   * opens. Default: none; the objects are stored as they are.
   */
  readonly key?: StoreKey | readonly StoreKey[];
  /** Milliseconds for one request with its repetitions. Default: 30,000. */
  readonly timeoutMs?: number;
  /** The timers of deadlines and repetitions. Default: the platform's. */
  readonly timers?: Pick<Clock, "setTimeout" | "clearTimeout">;
}

/** Artifacts in a bucket. */
export interface S3Artifacts extends ArtifactStore {
  /**
   * Deletes the objects and rows of artifacts that have expired, or whose write or removal was interrupted. A process
   * that writes artifacts does this once in a minute.
   *
   * @param max default: 1,000.
   * @returns the number of artifacts.
   * @throws ToolError `store_unavailable` after it has tried all; the rest is tried again once the lease has expired.
   */
  sweep(max?: number): Promise<number>;
  /** Cancels open requests; later operations fail with `store_unavailable`. The index stays open. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const optionNames: readonly string[] = [
  "index",
  "bucket",
  "region",
  "endpoint",
  "credentials",
  "prefix",
  "key",
  "timeoutMs",
  "timers",
] satisfies readonly (keyof S3ArtifactsOptions)[];

/**
 * Stores the bytes of artifacts in a bucket of S3, or of a service with its interface, and their rows in an index. An
 * artifact is readable once all of its bytes are stored. No object is left without a row: what was interrupted is
 * deleted later.
 *
 * If the bucket or the index cannot be reached, operations fail with a `ToolError` `store_unavailable`. An object that
 * was deleted by another program is an artifact that does not exist.
 *
 * @throws ToolError `invalid_configuration` for invalid options.
 */
export function s3Artifacts(options: S3ArtifactsOptions): S3Artifacts {
  return openArtifacts(options, defaultSizes);
}

/** @internal Tests write small parts. */
export function openArtifacts(options: S3ArtifactsOptions, sizes: WriteSizes): S3Artifacts {
  checkOptions("s3Artifacts", options, optionNames);
  const { index, bucket, region, credentials, prefix = "artifacts/", key = [] } = options;
  const { timers = systemClock } = options;
  if (typeof index?.reserve !== "function") {
    throw invalid("index is missing: pass artifactIndex of postgresStore or sqliteStore.");
  }
  if (typeof bucket !== "string" || !/^[a-zA-Z0-9][\w.-]{1,62}$/.test(bucket)) {
    throw invalid("bucket is not the name of a bucket.");
  }
  if (typeof region !== "string" || !/^[\w-]{1,64}$/.test(region)) {
    throw invalid('region is missing, such as "eu-central-1".');
  }
  if (typeof credentials !== "function" && !isCredentials(credentials)) {
    throw invalid("credentials needs accessKeyId and secretAccessKey, or a function.");
  }
  if (typeof prefix !== "string" || !isPrefix(prefix)) {
    throw invalid("prefix takes up to 512 letters, digits and ._-/ without empty parts.");
  }
  const timeoutMs = checkedTimerMs("s3Artifacts: timeoutMs", options.timeoutMs ?? 30_000);
  const keys = typeof key === "string" || key instanceof Uint8Array ? [key] : key;
  const origin = readEndpoint(options.endpoint ?? `https://s3.${region}.amazonaws.com`);
  const http = httpClient({
    givenOrigins: [origin],
    // The deadline of an operation spans its repetitions.
    timeoutMs: 0,
    // A page of sealed chunks, or a list of uploads.
    maxBytes: 2 * readBytes,
  });
  const client = new BucketClient({
    http,
    signer: new RequestSigner(credentials, region),
    name: { bucket, origin },
    timers,
    timeoutMs,
  });
  return new BucketArtifacts({
    index,
    client,
    prefix,
    keys: new ObjectKeys(keys),
    sizes,
    // A write takes one request at a time, and the statements of the index.
    leaseMs: 2 * timeoutMs + 60_000,
    close: () => http.close(),
  });
}

/** No part that a URL parser would change. */
function isPrefix(prefix: string): boolean {
  if (!/^[\w./-]{0,512}$/.test(prefix) || prefix.startsWith("/")) return false;
  return !prefix.includes("//") && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(prefix);
}

/** The text of an endpoint may have credentials, so that no error repeats it. */
function readEndpoint(endpoint: unknown): string {
  const url = typeof endpoint === "string" ? URL.parse(endpoint) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (isOrigin) return url.origin;
  throw invalid(
    'endpoint is an origin such as "https://s3.example.com:9000": scheme, host and port, without a path and a user name.',
  );
}

function invalid(text: string): ToolError {
  return new ToolError("invalid_configuration", `s3Artifacts: ${text}`);
}
