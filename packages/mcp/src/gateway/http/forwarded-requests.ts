import type { Caller } from "@toolweave/core";

/** The parts of a request that a replica forwards to another one, and that are authenticated. */
export interface ForwardedParts {
  readonly method: string;
  /** Only the headers of the protocol. */
  readonly headers: readonly (readonly [string, string])[];
  /** Absent: the request has no body. */
  readonly body?: string;
}

/** A request that another replica has forwarded, whose sender is authenticated. */
export interface ForwardedRequest {
  /** The caller that the other replica has authenticated. */
  readonly caller: Caller | undefined;
  /** True if method, headers and body are those that the other replica has sent. */
  matches(parts: ForwardedParts): boolean;
}

/** Authenticates the requests that other replicas forward. */
export interface ForwardedRequests {
  /** True if a request claims to be from another replica. */
  isForwarded(request: Request): boolean;
  /** Returns an authenticated request, or the response that rejects it. Its body is checked by `fetch`. */
  accept(request: Request): Promise<ForwardedRequest | Response>;
}
