import { startSwift, type SwiftServer } from "@toolweave/test-support/swift-server";
import { AwsClient } from "aws4fetch";

/** A bucket of an OpenStack Swift of its own, past all faults. */
export class SwiftBucket {
  readonly name = "chaos";
  readonly server: SwiftServer;
  readonly #client: AwsClient;

  private constructor(server: SwiftServer) {
    this.server = server;
    const { credentials, region } = server;
    this.#client = new AwsClient({ ...credentials, service: "s3", region });
  }

  static async start(): Promise<SwiftBucket> {
    const bucket = new SwiftBucket(await startSwift());
    try {
      await bucket.#send("", { method: "PUT" });
      return bucket;
    } catch (error) {
      await bucket.end();
      throw error;
    }
  }

  /** The names of all objects. */
  async list(): Promise<readonly string[]> {
    const names: string[] = [];
    for (;;) {
      const marker = encodeURIComponent(names.at(-1) ?? "");
      const xml = await (await this.#send(`?marker=${marker}`)).text();
      names.push(...[...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name]) => name ?? ""));
      if (!xml.includes("<IsTruncated>true</IsTruncated>")) return names;
    }
  }

  /** The names of the stored parts of uploads, by Swift's own interface. */
  async listParts(): Promise<readonly string[]> {
    const { url, credentials } = this.server;
    const account = {
      "x-auth-user": credentials.accessKeyId,
      "x-auth-key": credentials.secretAccessKey,
    };
    const signedIn = await fetch(`${url}/auth/v1.0`, { headers: account });
    const token = signedIn.headers.get("x-auth-token") ?? "";
    const parts = `${signedIn.headers.get("x-storage-url")}/${this.name}%2Bsegments`;
    const answer = await fetch(parts, { headers: { "x-auth-token": token } });
    if (answer.status === 404) return [];
    if (!answer.ok) throw new Error(`The parts of uploads were not listed: ${answer.status}.`);
    return (await answer.text()).split("\n").filter((name) => name !== "");
  }

  async read(object: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#send(`/${object}`)).arrayBuffer());
  }

  /** Deletes an object behind the back of the store. */
  async delete(object: string): Promise<void> {
    await this.#send(`/${object}`, { method: "DELETE" });
  }

  end(): Promise<void> {
    return this.server.stop();
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await this.#client.fetch(`${this.server.url}/${this.name}${path}`, init);
    if (answer.ok) return answer;
    const text = `The bucket has refused ${init.method ?? "GET"} ${path}: ${answer.status}.`;
    throw new Error(`${text}\n${await answer.text()}`);
  }
}
