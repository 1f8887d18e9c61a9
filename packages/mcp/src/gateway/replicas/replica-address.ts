/** The process of a gateway that holds a session, a call or a task. */
export interface ReplicaAddress {
  /** Internal URL of its endpoint. */
  readonly url: string;
  /** Random id of the process: after a restart at the same URL it is another one. */
  readonly instance: string;
}
