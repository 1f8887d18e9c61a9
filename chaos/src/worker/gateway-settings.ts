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
}

/** The names, in place of a tool's, of entries of the effect log with which a task marks its end. They are no effects. */
export const endMarks = { ended: "report ended", stopped: "report stopped" } as const;
