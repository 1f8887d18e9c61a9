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

/** The effect log's entries with which a task marks that it ends are no effects: the tool of their name does not exist. */
export const endMarks = { ended: "report ended", stopped: "report stopped" } as const;
