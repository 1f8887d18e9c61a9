/** A request that the gateway has answered. */
export interface AnsweredRequest {
  /** Method of the protocol, such as `tools/call`. */
  readonly method: string;
  readonly durationMs: number;
  /** Called tool. Absent: another method, or a tool that the client cannot call. */
  readonly tool?: string;
  /** Source of the tool. */
  readonly source?: string;
  /** Code of the protocol error. Absent: there is a result. */
  readonly errorCode?: number;
  /** The result of the call is an error. */
  readonly isError?: boolean;
}

/** Result of a request that was forwarded to another replica. */
export type ForwardedResult = "forwarded" | "unreachable" | "interrupted";

/** Receives the measurements of a gateway. Its methods must not throw. */
export interface GatewayMetrics {
  /** A request was answered. */
  answered(request: AnsweredRequest): void;
  /** The number of calls that wait for a further request of their client has changed by `change`. */
  waiting(change: 1 | -1): void;
  /** A session up to 2025-11-25 has started. */
  sessionStarted(): void;
  /** A session has ended. */
  sessionEnded(durationMs: number): void;
  /** A request was forwarded to another replica. */
  forwarded(result: ForwardedResult): void;
}

/** Takes no measurements. */
export const noMetrics: GatewayMetrics = {
  answered: () => {},
  waiting: () => {},
  sessionStarted: () => {},
  sessionEnded: () => {},
  forwarded: () => {},
};
