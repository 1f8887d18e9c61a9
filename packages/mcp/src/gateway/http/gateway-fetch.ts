import type { Caller } from "@toolweave/core";

/** What is known of a request beside what it says itself. */
export interface GatewayRequest {
  /** Who makes it, as somebody has checked. Absent: nobody was asked. */
  readonly caller?: Caller;
  /** The longest body that is read. Default: 4,194,304 (4 MiB). */
  readonly maxBodyBytes?: number;
}

/** Answers the protocol's HTTP requests; a request whose signal fires is given up. */
export interface GatewayFetch {
  fetch(request: Request, from?: GatewayRequest): Promise<Response>;
}
