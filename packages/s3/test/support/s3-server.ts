import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifySignature, type Account } from "./verify-signature.ts";

/**
 * `unsent`: the connection ends before the request is processed. `lost`: it is processed, and the connection ends without
 * an answer. `busy`: answered with 503. `hung`: it is processed, and not answered. `late`: it is not answered, and is
 * processed when the test calls `arrive`. `cutRequest`: the connection ends in the middle of the request. `cutAnswer`: it
 * is processed, and the connection ends in the middle of the answer. `skew`: refused because of its time. `missing`: all
 * objects were deleted before.
 */
export const s3Faults = [
  "unsent",
  "lost",
  "busy",
  "hung",
  "late",
  "cutRequest",
  "cutAnswer",
  "skew",
  "missing",
] as const;

/** A fault of one request. */
export interface S3Fault {
  readonly kind: (typeof s3Faults)[number];
  /** The request with the fault, from 1. */
  readonly at: number;
  /** Later requests have the fault, too. */
  readonly persists: boolean;
  /** Called for a request that gets no answer. */
  readonly onSilence?: () => void;
}

/** One request, as the server has seen it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly status: number;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

interface Upload {
  readonly object: string;
  readonly parts: Map<number, Buffer>;
}

export const testAccount = {
  accessKeyId: "AKIDTESTS",
  secretAccessKey: "a secret of the tests/+=",
} as const;

/**
 * A small S3 on loopback: objects, ranges and multipart uploads in memory. It verifies signatures and digests. All
 * buckets exist, except those whose name begins with `missing`.
 */
export class S3Server {
  account: Account = testAccount;
  readonly region: string = "us-east-1";
  /** By bucket and name. */
  readonly objects: Map<string, Buffer> = new Map();
  readonly uploads: Map<string, Upload> = new Map();
  readonly seen: SeenRequest[] = [];
  /** The server's time minus the time of this machine. */
  skewMs = 0;
  fault: S3Fault | undefined;
  /** Answers in place of the server's own. */
  override: ((request: IncomingMessage) => Answer | undefined) | undefined;
  #requests = 0;
  #uploadIds = 0;
  #late: (() => void)[] = [];
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Forgets everything. */
  reset(fault?: S3Fault): void {
    this.objects.clear();
    this.uploads.clear();
    this.seen.length = 0;
    this.fault = fault;
    this.override = undefined;
    this.account = testAccount;
    this.skewMs = 0;
    this.#requests = 0;
    this.#late = [];
  }

  /** Processes the requests that are late. */
  arrive(): void {
    for (const process of this.#late.splice(0)) process();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++this.#requests;
    const { fault } = this;
    const isFaulty =
      fault !== undefined && (fault.persists ? number >= fault.at : number === fault.at);
    const kind = isFaulty ? fault.kind : undefined;
    if (kind === "unsent") return void request.socket.destroy();
    if (kind === "cutRequest") {
      await once(request, "readable");
      return void request.socket.destroy();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (kind === "late") {
      this.#late.push(() => void this.#answer(request, body));
      return fault?.onSilence?.();
    }
    if (kind === "missing") this.objects.clear();
    const answer =
      kind === "busy"
        ? refusal(503, "SlowDown")
        : kind === "skew"
          ? refusal(403, "RequestTimeTooSkewed")
          : (this.override?.(request) ?? this.#answer(request, body));
    if (kind === "hung") return fault?.onSilence?.();
    if (kind === "lost") return void request.socket.destroy();
    this.#send(request, response, answer, kind === "cutAnswer");
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers = {}, body = "" }: Answer,
    isCut: boolean,
  ): void {
    const bytes = Buffer.from(body);
    this.seen.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      status,
    });
    response.writeHead(status, {
      date: new Date(Date.now() + this.skewMs).toUTCString(),
      ...(status === 204 ? {} : { "content-length": String(bytes.byteLength) }),
      ...headers,
    });
    if (!isCut) return void response.end(request.method === "HEAD" ? undefined : bytes);
    // An answer without a body is cut in its head.
    if (bytes.byteLength === 0) return void request.socket.destroy();
    response.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), () => {
      request.socket.destroy();
    });
  }

  #answer(request: IncomingMessage, body: Buffer): Answer {
    const refused = verifySignature(request, this.account, this.region, Date.now() + this.skewMs);
    if (refused !== undefined) return refusal(403, refused);
    const digest = createHash("sha256").update(body).digest("hex");
    if (request.headers["x-amz-content-sha256"] !== digest) {
      return refusal(400, "XAmzContentSHA256Mismatch");
    }
    const { pathname, searchParams } = new URL(request.url ?? "", this.origin);
    const [, bucket = "", ...rest] = pathname.split("/");
    if (bucket.startsWith("missing")) return refusal(404, "NoSuchBucket");
    const object = rest.join("/");
    if (object === "") return this.#listUploads(bucket, searchParams.get("prefix") ?? "");
    const name = `${bucket}/${object}`;
    const upload = searchParams.get("uploadId");
    if (upload !== null) return this.#inUpload(request, name, upload, searchParams, body);
    if (request.method === "POST" && searchParams.has("uploads")) return this.#startUpload(name);
    if (request.method === "PUT") {
      this.objects.set(name, body);
      return { status: 200, headers: { etag: etag(body) } };
    }
    if (request.method === "DELETE") {
      this.objects.delete(name);
      return { status: 204 };
    }
    const stored = this.objects.get(name);
    if (stored === undefined) return refusal(404, "NoSuchKey");
    return read(stored, request.headers.range);
  }

  #startUpload(object: string): Answer {
    // The characters of an id may be special in XML and in a URL.
    const id = `up&load/${++this.#uploadIds}`;
    this.uploads.set(id, { object, parts: new Map() });
    const xml = `<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`;
    return { status: 200, body: xml };
  }

  #inUpload(
    { method }: IncomingMessage,
    object: string,
    id: string,
    query: URLSearchParams,
    body: Buffer,
  ): Answer {
    const upload = this.uploads.get(id);
    if (upload?.object !== object) return refusal(404, "NoSuchUpload");
    if (method === "DELETE") {
      this.uploads.delete(id);
      return { status: 204 };
    }
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: { etag: etag(body) } };
    }
    const parts = [
      ...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g),
    ].map(([, number, tag]) => ({ part: upload.parts.get(Number(number)), tag }));
    const isSound = parts.every(({ part, tag }) => part !== undefined && etag(part) === tag);
    if (!isSound || parts.length !== upload.parts.size) return refusal(400, "InvalidPart");
    this.objects.set(object, Buffer.concat(parts.map(({ part }) => part as Buffer)));
    this.uploads.delete(id);
    return {
      status: 200,
      body: "\n<CompleteMultipartUploadResult></CompleteMultipartUploadResult>",
    };
  }

  #listUploads(bucket: string, prefix: string): Answer {
    const uploads = [...this.uploads]
      .filter(([, { object }]) => object.startsWith(`${bucket}/${prefix}`))
      .map(
        ([id, { object }]) =>
          `<Upload><Key>${object.slice(bucket.length + 1)}</Key><UploadId>${escaped(id)}</UploadId></Upload>`,
      );
    const xml = `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`;
    return { status: 200, body: xml };
  }
}

function read(stored: Buffer, range: string | undefined): Answer {
  const bounds = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
  if (bounds === null) return { status: 200, body: stored };
  const first = Number(bounds[1]);
  const last = Math.min(Number(bounds[2]), stored.byteLength - 1);
  if (first >= stored.byteLength) return refusal(416, "InvalidRange");
  return {
    status: 206,
    headers: { "content-range": `bytes ${first}-${last}/${stored.byteLength}` },
    body: stored.subarray(first, last + 1),
  };
}

function refusal(status: number, code: string): Answer {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`;
  return { status, body: xml };
}

function etag(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;");
}
