import { UsageError } from "../process/errors.ts";

const reference = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;

/** True for `$NAME` and `${NAME}`: what stands there is no secret. */
export function isVariableReference(written: string): boolean {
  return reference.test(written);
}

/**
 * The value of an option that may be a secret: `$NAME` or `${NAME}` stands for the environment
 * variable, so that the value itself is in no process list and no shell history.
 *
 * @param option what errors call it.
 */
export function resolveSecretValue(
  written: string,
  env: Readonly<Record<string, string | undefined>>,
  option: string,
): string {
  const name = reference.exec(written)?.slice(1).find(Boolean);
  const value = name === undefined ? written : env[name];
  if (value === undefined || value === "") {
    throw new UsageError(
      name === undefined
        ? `${option} has no value.`
        : `${option} names the environment variable ${name}, which is not set.`,
    );
  }
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    throw new UsageError(`${option} has a value with control characters, which cannot be sent.`);
  }
  return value;
}
