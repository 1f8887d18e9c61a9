/** How a gateway is started: JSON in its argument. */
export interface GatewaySettings {
  /** Different for every process: `gateway 2.3` is the third one at the second address. */
  readonly name: string;
  readonly port: number;
  /** The URL of the database. */
  readonly url: string;
  readonly schema: string;
  readonly leaseMs: number;
  readonly effectLogPort: number;
  readonly drain: DrainTimes;
}

/** How a gateway ends after SIGTERM, in milliseconds. */
export interface DrainTimes {
  /** The time in which the load balancer can notice it. */
  readonly delayMs: number;
  /** The time that its calls have afterwards. */
  readonly graceMs: number;
}

/** The names, in place of a tool's, of entries of the effect log with which a task marks its end. They are no effects. */
export const endMarks = { ended: "report ended", stopped: "report stopped" } as const;
