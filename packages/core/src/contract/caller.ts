/** The caller for whom a call is made. Set by the host, never by a model. */
export interface Caller {
  readonly id: string;
  readonly roles?: readonly string[];
  /** The agent that acts for the caller. */
  readonly agent?: string;
}
