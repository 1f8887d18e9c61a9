import { ToolError } from "@toolweave/core";

type Env = Readonly<Record<string, string | undefined>>;

const minBytes = 32;
const example = 'such as what "openssl rand -base64 32" prints';

/**
 * The keys in the environment, the one that encrypts first: `TOOLWEAVE_KEY`, then those of `TOOLWEAVE_OLD_KEYS`, which
 * only decrypt, separated by spaces or commas.
 *
 * @returns an empty list: there is none.
 * @throws ToolError `invalid_configuration` for a key of less than 32 bytes, and for old keys without a key.
 */
export function readStoreKeys(env: Env): readonly string[] {
  const key = env["TOOLWEAVE_KEY"] ?? "";
  const oldKeys = (env["TOOLWEAVE_OLD_KEYS"] ?? "").split(/[\s,]+/).filter((old) => old !== "");
  if (key === "" && oldKeys.length > 0) {
    throw invalid("TOOLWEAVE_OLD_KEYS is set, and TOOLWEAVE_KEY is not: set it to the new key.");
  }
  if (key === "") return [];
  if (Buffer.byteLength(key) < minBytes) {
    throw invalid(`TOOLWEAVE_KEY must have at least ${minBytes} bytes, ${example}.`);
  }
  if (oldKeys.some((old) => Buffer.byteLength(old) < minBytes)) {
    throw invalid(
      `Each key in TOOLWEAVE_OLD_KEYS must have at least ${minBytes} bytes: write the former values of TOOLWEAVE_KEY, separated by spaces.`,
    );
  }
  return [key, ...oldKeys];
}

/** The error of an operation that needs the key, which is missing. */
export function missingKeyError(location: string): ToolError {
  return invalid(
    `The store is the database ${location}. Calls that wait, grants and tokens in it are encrypted or signed with a key that all machines have: set TOOLWEAVE_KEY to the same value of at least ${minBytes} bytes on each of them, ${example}.`,
  );
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
