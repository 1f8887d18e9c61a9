/**
 * Continuations of a wait, of which one is called. They receive the data that `wait` was given, so that a wait creates no
 * functions of its own for them.
 */
export interface WaitHandlers<Call, T, Data = undefined> {
  /** The value has arrived in time. */
  readonly value: (call: Call, value: T, data: Data) => void;
  /** The wait has failed in time. */
  readonly error: (call: Call, thrown: unknown) => void;
  /** The call did not wait any more when the value or the error arrived. */
  readonly late: (
    call: Call,
    outcome: "returned" | "threw",
    value: T | undefined,
    data: Data,
  ) => void;
}
