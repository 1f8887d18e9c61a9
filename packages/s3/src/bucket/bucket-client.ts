import { hash } from "node:crypto";
import { ToolError } from "@toolweave/core";
import { parseHttpDate, retryAfterMs, type HttpClient, type HttpResponse } from "@toolweave/http";
import { errorCode, unansweredError, type BucketName } from "./bucket-error.ts";
import type { RequestSigner } from "./credentials.ts";
import { Deadline, type Timers } from "./deadline.ts";

/** A request to the bucket or to one of its objects. Every request may be sent several times. */
export interface BucketRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The name of an object; absent: the bucket itself. */
  readonly object?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** An answer, whatever its status is. */
export interface BucketAnswer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly body: Uint8Array;
  /** The number of earlier attempts that may have been carried out. */
  readonly uncertain: number;
}

/** The parts of a client. */
export interface BucketClientOptions {
  readonly http: HttpClient;
  readonly signer: RequestSigner;
  readonly name: BucketName;
  readonly timers: Timers;
  readonly timeoutMs: number;
}

const maxAttempts = 4;
const firstPauseMs = 100;
const retriedStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const emptyDigest = hash("sha256", "");

/** Sends signed requests to one bucket, and repeats those that fail for a moment. */
export class BucketClient {
  readonly name: BucketName;
  readonly #http: HttpClient;
  readonly #signer: RequestSigner;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  /** The server's time minus the time of this machine, in milliseconds. */
  #skewMs = 0;

  constructor({ http, signer, name, timers, timeoutMs }: BucketClientOptions) {
    this.#http = http;
    this.#signer = signer;
    this.name = name;
    this.#timers = timers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a request. Answers 429, 500, 502, 503 and 504 and lost connections are followed by up to three more attempts,
   * within one deadline. If the server refuses the time of the signature, its own time is used from then on.
   *
   * @throws ToolError `store_unavailable`
   */
  async send(request: BucketRequest): Promise<BucketAnswer> {
    const digest = request.body === undefined ? emptyDigest : hash("sha256", request.body);
    const deadline = new Deadline(this.#timers, this.#timeoutMs);
    let isCorrected = false;
    let uncertain = 0;
    try {
      for (let attempt = 1; ; attempt++) {
        const answer = await this.#attempt(request, digest, deadline);
        const isLast = attempt === maxAttempts;
        if (!ToolError.is(answer)) {
          if (!isCorrected && this.#correctTime(answer)) {
            isCorrected = true;
            attempt--;
            continue;
          }
          if (isLast || !retriedStatuses.has(answer.status)) return { ...answer, uncertain };
        } else if (isLast || deadline.hasPassed || !isTransient(answer)) {
          throw unansweredError(this.name, request.method, answer);
        }
        uncertain++;
        const pauseMs = firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
        await deadline.pause(Math.max(pauseMs, requestedPauseMs(answer) ?? 0));
        if (!deadline.hasPassed) continue;
        if (!ToolError.is(answer)) return { ...answer, uncertain };
        throw unansweredError(this.name, request.method, answer);
      }
    } finally {
      deadline.clear();
    }
  }

  /** Resolves with the error of a request that has no answer. */
  async #attempt(
    { method, object, query = {}, headers = {}, body }: BucketRequest,
    digest: string,
    { signal }: Deadline,
  ): Promise<Omit<BucketAnswer, "uncertain"> | ToolError> {
    const { origin, bucket } = this.name;
    const path = object === undefined ? bucket : `${bucket}/${object}`;
    const search = new URLSearchParams(query).toString();
    const url = `${origin}/${path}${search === "" ? "" : `?${search}`}`;
    const unsigned = { method, url, headers: { ...headers, "x-amz-content-sha256": digest } };
    const signed = await this.#signer.sign(unsigned, Date.now() + this.#skewMs);
    try {
      return await this.#http.request({
        method,
        url,
        headers: { ...signed, "accept-encoding": "identity" },
        signal,
        credentials: ["authorization", "x-amz-security-token"],
        follows: () => false,
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (ToolError.is(error)) return error;
      throw error;
    }
  }

  /** True: the server refuses the time, and its own time is known now. */
  #correctTime({
    status,
    headers,
    body,
  }: Pick<BucketAnswer, "status" | "headers" | "body">): boolean {
    if (status !== 403 || errorCode(body) !== "RequestTimeTooSkewed") return false;
    const date = headers["date"];
    const time = parseHttpDate(typeof date === "string" ? date : undefined);
    if (time === undefined) return false;
    this.#skewMs = time - Date.now();
    return true;
  }
}

/** The connection failed, or the answer was cut off. */
function isTransient(error: ToolError): boolean {
  return error.code === "unavailable" || error.code === "upstream";
}

function requestedPauseMs(answer: Pick<BucketAnswer, "headers"> | ToolError): number | undefined {
  return ToolError.is(answer) ? answer.retryAfterMs : retryAfterMs(answer.headers);
}
