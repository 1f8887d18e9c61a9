import { isThenable, type ToolContext, type ToolOutput } from "@toolweave/core";
import { httpClient, type HttpClient, type HttpClientOptions } from "@toolweave/http";
import type { PlannedRequest } from "../request/request-plan.ts";
import { toolOutput } from "./response.ts";
import { secretValue, type CredentialPlan } from "../auth/security.ts";
import { headerSecrets, type SourceSecrets } from "../auth/source-secrets.ts";

/** What sending needs to know of an operation, beside the request. */
export interface OperationCall {
  /** `GET /pets/{id}`, for errors. */
  readonly label: string;
  readonly writes: boolean;
  readonly expectsJson: boolean;
  readonly credentials: CredentialPlan;
  /** Headers of the host's own, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why the credentials stay at home; the end of a sentence. Absent: they may go. */
  readonly withheld?: string;
}

/** Sends the requests of one source. Loaded, with the HTTP client, when the first is sent. */
export class OperationCaller {
  readonly #client: HttpClient;
  readonly #secrets: SourceSecrets;

  constructor(options: HttpClientOptions, secrets: SourceSecrets) {
    this.#client = httpClient(options);
    this.#secrets = secrets;
  }

  /** Sends a request and makes an output of the answer. Rejects with a `ToolError` of the HTTP client's. */
  async call(call: OperationCall, request: PlannedRequest, ctx: ToolContext): Promise<ToolOutput> {
    const { headers } = request;
    const address = request.origin + request.path;
    const url = request.query === "" ? address : `${address}?${request.query}`;
    let target = url;
    let cookie = request.cookie;
    const secrets: string[] = [];
    const names: string[] = [];
    const mayAuthorize = call.withheld === undefined;

    if (mayAuthorize) {
      for (const use of call.credentials.uses) {
        const pending = secretValue(use);
        const secret = isThenable(pending) ? await pending : pending;
        if (typeof use.secret === "function") this.#secrets.renewed(secret);
        secrets.push(secret, ...(use.alsoSecret ?? []));
        names.push(use.name);
        if (use.in === "header") headers[use.name] = use.prefix + secret;
        else if (use.in === "query") {
          const key = encodeURIComponent(use.name);
          target += `${target.includes("?") ? "&" : "?"}${key}=${encodeURIComponent(secret)}`;
        } else {
          const pair = `${use.name}=${secret}`;
          cookie = cookie === "" ? pair : `${cookie}; ${pair}`;
        }
      }
      for (const name in call.headers) {
        const value = call.headers[name] as string;
        // A body is what its own type says, with the boundary of its parts.
        if (name === "content-type" && headers[name] !== undefined) continue;
        headers[name] = value;
        names.push(name);
      }
      secrets.push(...headerSecrets(call.headers));
    }
    if (cookie !== "") {
      const given = headers["cookie"];
      headers["cookie"] = given === undefined ? cookie : `${given}; ${cookie}`;
    }

    const response = await this.#client.request({
      method: request.method,
      url: target,
      headers,
      body: request.body,
      signal: ctx.signal,
      credentials: names,
    });
    return toolOutput(response, {
      operation: call.label,
      url,
      writes: call.writes,
      expectsJson: call.expectsJson,
      credentials: missing(call),
      hasCredentials: secrets.length > 0,
      needsCredentials: call.withheld !== undefined || call.credentials.wanted.length > 0,
      secrets,
    });
  }

  /** Cancels what is under way. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function missing({ withheld, credentials }: OperationCall): string {
  const { unsupported, wanted } = credentials;
  if (withheld !== undefined) return withheld;
  if (unsupported !== undefined) return `the operation cannot be authorised, since ${unsupported}`;
  if (wanted.length === 0) return "the host has to pass them as `auth` or `headers`";
  return `the host has to pass them as \`auth\` (the document asks for ${wanted.join(" or ")})`;
}
