import { AwsV4Signer } from "aws4fetch";
import { ToolError } from "@toolweave/core";

/** The keys of an account of S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** Credentials, or a function that returns those that are valid now. It is called for every request. */
export type S3CredentialSource = S3Credentials | (() => Promise<S3Credentials> | S3Credentials);

/** The parts of a request that are signed. */
interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Derived keys: one for each secret and day. */
const maxCachedKeys = 8;

/** Signs requests (AWS Signature Version 4). */
export class RequestSigner {
  readonly #source: S3CredentialSource;
  readonly #region: string;
  readonly #derivedKeys = new Map<string, ArrayBuffer>();

  constructor(source: S3CredentialSource, region: string) {
    this.#source = source;
    this.#region = region;
  }

  /**
   * @param time milliseconds since the epoch.
   * @returns the headers, with the signature.
   * @throws ToolError `store_unavailable` if there are no credentials.
   */
  async sign(
    { method, url, headers }: UnsignedRequest,
    time: number,
  ): Promise<Readonly<Record<string, string>>> {
    const { accessKeyId, secretAccessKey, sessionToken } = await this.#credentials();
    if (this.#derivedKeys.size > maxCachedKeys) this.#derivedKeys.clear();
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: this.#region,
      cache: this.#derivedKeys,
      datetime: new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    });
    return Object.fromEntries((await signer.sign()).headers);
  }

  async #credentials(): Promise<S3Credentials> {
    let credentials: unknown;
    try {
      credentials = typeof this.#source === "function" ? await this.#source() : this.#source;
    } catch (cause) {
      throw new ToolError("store_unavailable", "The credentials of the bucket are not available.", {
        cause,
      });
    }
    if (isCredentials(credentials)) return credentials;
    throw new ToolError(
      "store_unavailable",
      "The function credentials has returned no accessKeyId and secretAccessKey.",
      { retryable: false },
    );
  }
}

/** True for an object with both keys. */
export function isCredentials(value: unknown): value is S3Credentials {
  const { accessKeyId, secretAccessKey } = (value ?? {}) as Partial<S3Credentials>;
  return (
    typeof accessKeyId === "string" &&
    accessKeyId !== "" &&
    typeof secretAccessKey === "string" &&
    secretAccessKey !== ""
  );
}
