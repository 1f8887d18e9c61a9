import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { ConfigDescription } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import { makePrivateFolder } from "./private-folder.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** One configuration that a person trusts: where it is, and what it was then. */
export interface TrustedConfig {
  readonly version: 1;
  /** The absolute path of the file. */
  readonly path: string;
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly trustedAt: number;
  /** The digest of each part, by kind and name: `program notes`. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Larger ones are no agreements of this program. */
const maxBytes = 4_194_304;

/**
 * The configurations that this user trusts: a file each, with mode 0600, in `toolweave/trusted` of `$XDG_CONFIG_HOME`,
 * else of `~/.config`.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export class TrustedConfigs {
  readonly #folder: string;

  constructor(env: Env) {
    const { XDG_CONFIG_HOME: configHome = "", HOME: home = "" } = env;
    const base = isAbsolute(configHome)
      ? configHome
      : join(home === "" ? homedir() : home, ".config");
    this.#folder = join(base, "toolweave", "trusted");
  }

  /**
   * Returns what is trusted at a path; undefined: nothing.
   *
   * @throws ToolError `store_unavailable` for a file that others can use, and for one that cannot be read.
   */
  get(path: string): TrustedConfig | undefined {
    const trusted = this.#read(this.#getFile(path));
    return trusted?.path === path ? trusted : undefined;
  }

  /** All of them, in the order of their paths. */
  list(): readonly TrustedConfig[] {
    let names: string[];
    try {
      this.#assertPrivate();
      names = readdirSync(this.#folder).filter((name) => name.endsWith(".json"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw unusableError(this.#folder, error);
    }
    return names
      .flatMap((name) => this.#read(join(this.#folder, name)) ?? [])
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Trusts a configuration as it is described. */
  async add({ path, digest, parts }: ConfigDescription, trustedAt: number): Promise<void> {
    const { replaceFile } = await import("@toolweave/config");
    const trusted: TrustedConfig = { version: 1, path, digest, trustedAt, parts: toDigests(parts) };
    const file = this.#getFile(path);
    try {
      makePrivateFolder(file);
      this.#assertPrivate();
      await replaceFile(file, `${JSON.stringify(trusted, null, 2)}\n`, 0o600);
    } catch (error) {
      throw unusableError(file, error);
    }
  }

  /** True when it was trusted before. */
  revoke(path: string): boolean {
    const file = this.#getFile(path);
    try {
      rmSync(file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw unusableError(file, error);
    }
  }

  #getFile(path: string): string {
    return join(this.#folder, `${createHash("sha256").update(path).digest("hex")}.json`);
  }

  #read(file: string): TrustedConfig | undefined {
    let text: string;
    try {
      this.#assertPrivate();
      // Follows no link, and does not wait where there is a pipe. Windows knows neither.
      const flags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const opened = openSync(file, constants.O_RDONLY | flags);
      try {
        const stat = fstatSync(opened);
        if (!stat.isFile() || stat.size > maxBytes)
          throw unsafeError(file, "is not a valid trust file: delete it");
        assertPrivateToUser(file, stat, 0o600);
        text = readFileSync(opened, "utf8");
      } finally {
        closeSync(opened);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw unusableError(file, error);
    }
    return parseTrustedConfig(text);
  }

  /** Makes sure that only this user can write to the folder: write access decides what runs. */
  #assertPrivate(): void {
    const stat = lstatSync(this.#folder);
    if (!stat.isDirectory()) throw unsafeError(this.#folder, "is not a folder: move it away");
    assertPrivateToUser(this.#folder, stat, 0o700);
  }
}

/** The digests of parts, by kind and name. */
export function toDigests(parts: ConfigDescription["parts"]): Readonly<Record<string, string>> {
  return Object.fromEntries(parts.map(({ kind, name, digest }) => [`${kind} ${name}`, digest]));
}

function parseTrustedConfig(text: string): TrustedConfig | undefined {
  try {
    const value = JSON.parse(text) as Partial<TrustedConfig> | null;
    const { version, path, digest, trustedAt, parts } = value ?? {};
    const isKnown =
      version === 1 &&
      typeof path === "string" &&
      typeof digest === "string" &&
      typeof trustedAt === "number" &&
      typeof parts === "object";
    return isKnown ? (value as TrustedConfig) : undefined;
  } catch {
    // A damaged agreement is none: the person is asked again.
    return undefined;
  }
}

function assertPrivateToUser(
  path: string,
  { uid, mode }: { readonly uid: number; readonly mode: number },
  wanted: number,
): void {
  if (process.platform === "win32") return;
  if (uid !== process.geteuid?.()) throw unsafeError(path, "belongs to another user: move it away");
  if ((mode & 0o077) === 0) return;
  throw unsafeError(
    path,
    `is accessible to other users: run \`chmod ${wanted.toString(8)}\` on it`,
  );
}

function unsafeError(path: string, what: string): ToolError {
  return new ToolError("store_unavailable", `${path} ${what}.`, { retryable: false });
}

function unusableError(path: string, cause: unknown): ToolError {
  if (ToolError.is(cause)) return cause;
  const { code = "unknown reason" } = cause as NodeJS.ErrnoException;
  return new ToolError("store_unavailable", `${path} cannot be used (${code}).`, { cause });
}
