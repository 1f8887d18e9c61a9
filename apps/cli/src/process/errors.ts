/** The command line is wrong. `message` names the fault and what to write instead, without any secret. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** A configuration that was found and is not trusted: nothing of it was started, read or imported. */
export class UntrustedConfig extends Error {
  override readonly name: string = "UntrustedConfig";
}
