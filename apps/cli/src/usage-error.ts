/** The command line is wrong. `message` says what is wrong and what to write, without any secret. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
