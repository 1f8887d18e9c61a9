import { bucketError, errorCode, refusedError } from "./bucket-error.ts";
import type { BucketAnswer, BucketClient, BucketRequest } from "./bucket-client.ts";
import { readElement, readElements } from "./xml.ts";

/** One part of a multipart upload, as it is completed. */
export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
}

/** A multipart upload that was started. */
export interface StartedUpload {
  readonly id: string;
  /** False: an earlier attempt, whose answer was lost, may have started another one. */
  readonly isOnly: boolean;
}

/** Pages of a list of uploads: one object has few of them. */
const maxListings = 10;

/** The objects of a bucket, as far as artifacts need them. All methods throw `store_unavailable`. */
export class Bucket {
  readonly #client: BucketClient;

  constructor(client: BucketClient) {
    this.#client = client;
  }

  /** Stores an object in one request. */
  async put(object: string, body: Uint8Array): Promise<void> {
    await this.#expect(200, {
      method: "PUT",
      object,
      body,
      headers: { "content-type": "application/octet-stream" },
    });
  }

  /**
   * The bytes from `first` to `last`, both included, of an object of `size` bytes.
   *
   * @returns `undefined`: there is no such object.
   */
  async getRange(
    object: string,
    first: number,
    last: number,
    size: number,
  ): Promise<Uint8Array | undefined> {
    const range = { range: `bytes=${first}-${last}` };
    const request = { method: "GET", object, headers: range } as const;
    const answer = await this.#client.send(request);
    if (answer.status === 404 && errorCode(answer.body) === "NoSuchKey") return undefined;
    if (answer.status === 416) throw this.#differs();
    if (answer.status !== 206 && answer.status !== 200) {
      throw refusedError(this.#client.name, request.method, answer);
    }
    const isRange =
      answer.status === 206 &&
      answer.headers["content-range"] === `bytes ${first}-${last}/${size}` &&
      answer.body.byteLength === last - first + 1;
    if (!isRange) throw this.#differs();
    return answer.body;
  }

  /** Deletes an object, if it exists. */
  async delete(object: string): Promise<void> {
    await this.#delete({ method: "DELETE", object }, "NoSuchKey");
  }

  /** Starts a multipart upload. */
  async startUpload(object: string): Promise<StartedUpload> {
    const answer = await this.#expect(200, {
      method: "POST",
      object,
      query: { uploads: "" },
      headers: { "content-type": "application/octet-stream" },
    });
    const id = readElement(new TextDecoder().decode(answer.body), "UploadId") ?? "";
    if (id === "") throw this.#unreadable("POST");
    return { id, isOnly: answer.uncertain === 0 };
  }

  /** Stores one part of a multipart upload. */
  async putPart(
    object: string,
    upload: string,
    number: number,
    body: Uint8Array,
  ): Promise<UploadedPart> {
    const query = { partNumber: String(number), uploadId: upload };
    const { headers } = await this.#expect(200, { method: "PUT", object, query, body });
    const { etag } = headers;
    if (typeof etag !== "string") throw this.#unreadable("PUT");
    return { number, etag };
  }

  /** Makes an object of `size` bytes from the parts. */
  async completeUpload(
    object: string,
    upload: string,
    parts: readonly UploadedPart[],
    size: number,
  ): Promise<void> {
    const xml = parts.map(
      ({ number, etag }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${escapeText(etag)}</ETag></Part>`,
    );
    const request: BucketRequest = {
      method: "POST",
      object,
      query: { uploadId: upload },
      headers: { "content-type": "application/xml" },
      body: Buffer.from(`<CompleteMultipartUpload>${xml.join("")}</CompleteMultipartUpload>`),
    };
    const answer = await this.#client.send(request);
    const code = errorCode(answer.body);
    // An earlier attempt has completed it, and its answer was lost.
    const isUnknown = answer.status === 404 && code === "NoSuchUpload" && answer.uncertain > 0;
    if (isUnknown && (await this.#size(object)) === size) return;
    // An error can follow the status 200, which is sent before the object is made.
    if (answer.status !== 200 || code !== "") {
      throw refusedError(this.#client.name, request.method, answer);
    }
    if (!new TextDecoder().decode(answer.body).includes("<CompleteMultipartUploadResult")) {
      throw this.#unreadable(request.method);
    }
  }

  /** Aborts every multipart upload of an object that has not been completed. */
  async abortUploads(object: string): Promise<void> {
    for (let listing = 1; listing <= maxListings; listing++) {
      const query = { uploads: "", prefix: object };
      const answer = await this.#expect(200, { method: "GET", query });
      const xml = new TextDecoder().decode(answer.body);
      if (!xml.includes("<ListMultipartUploadsResult")) throw this.#unreadable("GET");
      for (const upload of readElements(xml, "Upload")) {
        const id = readElement(upload, "UploadId");
        if (readElement(upload, "Key") !== object || id === undefined) continue;
        const request = { method: "DELETE", object, query: { uploadId: id } } as const;
        await this.#delete(request, "NoSuchUpload");
      }
      if (readElement(xml, "IsTruncated") !== "true") return;
    }
    throw bucketError(this.#client.name, `has more uploads of an object than can be aborted`);
  }

  /** The size of an object; `undefined`: there is none. */
  async #size(object: string): Promise<number | undefined> {
    const { status, headers } = await this.#client.send({ method: "HEAD", object });
    return status === 200 ? Number(headers["content-length"]) : undefined;
  }

  async #delete(request: BucketRequest, absent: string): Promise<void> {
    const answer = await this.#client.send(request);
    if (answer.status === 204 || answer.status === 200) return;
    if (answer.status === 404 && errorCode(answer.body) === absent) return;
    throw refusedError(this.#client.name, request.method, answer);
  }

  async #expect(status: number, request: BucketRequest): Promise<BucketAnswer> {
    const answer = await this.#client.send(request);
    if (answer.status === status) return answer;
    throw refusedError(this.#client.name, request.method, answer);
  }

  #differs(): Error {
    return bucketError(
      this.#client.name,
      "has an object that is not the one that was stored: delete the artifact",
      { retryable: false },
    );
  }

  #unreadable(method: string): Error {
    return bucketError(this.#client.name, `has sent an answer that cannot be read (${method})`);
  }
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
