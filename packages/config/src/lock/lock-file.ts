import { ToolError } from "@toolweave/core";
import { readRegularFile } from "../files/regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { hashTool, type Lock, type LockedTool } from "./lock.ts";

/**
 * Reads a `toolweave.lock.json`.
 *
 * @throws ToolError `unavailable` for a file that cannot be read, is a link or no regular file, or has more than 256
 * MiB; `invalid_configuration` for a file that is no lock, has another version, or in which a tool was edited by hand.
 */
export async function readLock(path: string): Promise<Lock> {
  let text: string;
  try {
    text = readRegularFile(path, { maxBytes, followLinks: false }).toString();
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    const advice =
      code === "ENOENT"
        ? ": make it with `toolweave lock`"
        : code === "ELOOP"
          ? ": it is a link, which is not followed"
          : "";
    throw new ToolError("unavailable", `The lock ${path} cannot be read (${code})${advice}.`, {
      cause: error,
      retryable: false,
    });
  }
  const lock = parsed(text);
  if (typeof lock === "string") {
    throw new ToolError(
      "invalid_configuration",
      `${path} ${lock}: make it anew with \`toolweave lock\`.`,
    );
  }
  for (const [name, tool] of Object.entries(lock.tools)) {
    if (hashTool(name, tool) === tool.hash) continue;
    throw new ToolError(
      "invalid_configuration",
      `${path}: what it says of ${name} does not fit its hash. Do not change it by hand: look at the tools, and make it anew with \`toolweave lock\`.`,
    );
  }
  return lock;
}

/**
 * Writes a lock at once with all that is in it: sorted, a key a line. A link in its place is replaced, not followed.
 * The file keeps its mode; a new one has 0644, as it belongs with the configuration.
 */
export async function writeLock(path: string, lock: Lock): Promise<void> {
  await replaceFile(path, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Returns a text about the problem if it is invalid. */
function parsed(text: string): Lock | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is no JSON";
  }
  const { version, tools } = (value ?? {}) as { readonly version?: unknown } & Partial<Lock>;
  if (typeof tools !== "object" || tools === null || version === undefined) return "is no lock";
  if (version !== 1) {
    return `is a lock of version ${JSON.stringify(version).slice(0, 20)}, and only version 1 can be read here`;
  }
  for (const [name, tool] of Object.entries(
    tools as Readonly<Record<string, Partial<LockedTool> | null>>,
  )) {
    if (typeof tool?.hash !== "string" || typeof tool.source !== "string") {
      return `is no lock: ${name} has no source or no hash`;
    }
    if (!sha256.test(tool.hash)) return `has a hash that is no SHA-256: that of ${name}`;
  }
  return value as Lock;
}

/** The maximum number of tools of one source takes less. */
const maxBytes = 268_435_456;

const sha256 = /^[0-9a-f]{64}$/;
