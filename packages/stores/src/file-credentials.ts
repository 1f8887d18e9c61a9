import { createHash, randomUUID } from "node:crypto";
import { lstat, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { withFileLock } from "./file-lock.ts";
import { OwnFolder, exposure, readFlags } from "./private-file.ts";
import { storeError, unavailable } from "./store-error.ts";

/** Far more than any credential has. */
const maxBytes = 1024 * 1024;

const unfinishedSuffix = ".unfinished";

/** How long a write may take, in milliseconds, before what it left counts as cut off. */
const maxWriteMs = 60_000;

/**
 * Stores each credential in a file of its own, with mode 0600, in a folder that any number of processes of one machine
 * may share. Writes are atomic, and on the disk before `set` resolves; of two concurrent writes one remains.
 * Credentials are not encrypted: the modes keep other users out, but no program that can read this user's files.
 *
 * Everything fails with a `ToolError` `store_unavailable` when the disk is full or cannot be written, the folder was
 * deleted or replaced, or a file is damaged, a link, or open to other users.
 *
 * @param path the folder, of this user alone: made with mode 0700, and rejected if other users have access. On a local
 * disk only.
 * @throws ToolError `store_unavailable` if the folder cannot be made or other users have access; `invalid_configuration` without a
 * path.
 */
export function fileCredentials(path: string): CredentialStore {
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `fileCredentials needs a path: fileCredentials("credentials").`,
    );
  }
  return new FileCredentials(resolve(path));
}

class FileCredentials implements CredentialStore {
  readonly #folder: OwnFolder;
  #swept = false;

  constructor(path: string) {
    this.#folder = new OwnFolder(path);
  }

  get(key: CredentialKey): Promise<Credential | undefined> {
    return this.#guarded(async () => {
      const path = this.#toPath(key);
      const json = await this.#read(path);
      if (json === undefined) return undefined;
      const credential = readCredential(json);
      if (credential === undefined) throw damaged(path);
      return credential;
    });
  }

  set(key: CredentialKey, credential: Credential): Promise<void> {
    return this.#guarded(async () => {
      const path = this.#toPath(key);
      const json = credentialJson(credential);
      if (Buffer.byteLength(json) > maxBytes) {
        throw new ToolError("internal", `A credential is larger than ${maxBytes} bytes.`);
      }
      await this.#sweep();
      await this.#write(path, json);
    });
  }

  delete(key: CredentialKey): Promise<void> {
    return this.#guarded(async () => {
      await rm(this.#toPath(key), { force: true });
      await this.#folder.sync();
    });
  }

  /** Not guarded: the errors of the work are not those of the folder. */
  async exclusive(key: CredentialKey, work: () => Promise<void>): Promise<void> {
    const path = this.#toPath(key);
    await this.#guarded(async () => {});
    await withFileLock(`${path}.lock`, work);
  }

  async #read(path: string): Promise<string | undefined> {
    const file = await open(path, readFlags).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error.code === "ELOOP" ? damaged(path) : error;
    });
    if (file === undefined) return undefined;
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > maxBytes) throw damaged(path);
      const fault = exposure(stat, 0o600);
      if (fault !== undefined) throw unavailable(path, fault, { retryable: false });
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  }

  async #write(path: string, json: string): Promise<void> {
    const unfinished = `${path}.${randomUUID()}${unfinishedSuffix}`;
    const file = await open(unfinished, "wx", 0o600);
    try {
      try {
        // Not before it is known that it was made where it should be.
        await this.#folder.assertThere();
        await file.writeFile(json);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      await this.#folder.sync();
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Once: removes what a crash has left behind. It may hold a secret. */
  async #sweep(): Promise<void> {
    if (this.#swept) return;
    this.#swept = true;
    for (const name of await readdir(this.#folder.path)) {
      if (!name.endsWith(unfinishedSuffix)) continue;
      const path = join(this.#folder.path, name);
      const stat = await lstat(path).catch(() => undefined);
      if (stat !== undefined && stat.mtimeMs < Date.now() - maxWriteMs) {
        await rm(path, { force: true });
      }
    }
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.#folder.assertThere();
      return await work();
    } catch (error) {
      throw storeError(this.#folder.path, error);
    }
  }

  /** Names of sources and callers are anybody's; a hash of them is a name for a file. */
  #toPath(key: CredentialKey): string {
    const name = createHash("sha256").update(credentialName(key)).digest("hex");
    return join(this.#folder.path, `${name}.json`);
  }
}

function damaged(path: string): ToolError {
  return unavailable(path, "is damaged, or not the file that was written: delete it", {
    retryable: false,
  });
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrAbsent: Check = (value) => value === undefined || isText(value);
const isTextsOrAbsent: Check = (value) =>
  value === undefined || (Array.isArray(value) && value.every(isText));
const isNumberOrAbsent: Check = (value) => value === undefined || Number.isFinite(value);

/** By type: what each member has to be. */
const members: Readonly<Record<Credential["type"], Readonly<Record<string, Check>>>> = {
  secret: { secret: isText },
  password: { username: isText, password: isText },
  token: {
    accessToken: isText,
    expiresAt: isNumberOrAbsent,
    refreshToken: isTextOrAbsent,
    scopes: isTextsOrAbsent,
    bound: (value) => value === undefined || isBinding(value),
  },
  client: {
    issuer: isText,
    clientId: isText,
    clientSecret: isTextOrAbsent,
    clientAuthentication: isTextOrAbsent,
    redirectUri: isTextOrAbsent,
    scopes: isTextsOrAbsent,
    expiresAt: isNumberOrAbsent,
  },
  certificate: { certificate: isText, privateKey: isText, passphrase: isTextOrAbsent },
};

/** One name for one key. */
export function credentialName({ source, scheme, caller }: CredentialKey): string {
  if (isText(source) && isText(scheme) && isTextOrAbsent(caller)) {
    return JSON.stringify([source, scheme, caller ?? null]);
  }
  throw new ToolError("internal", "A credential's key needs a source and a scheme as texts.");
}

/**
 * The credential as a store writes it.
 *
 * @throws ToolError `invalid_configuration` for what is none; the message does not show it.
 */
export function credentialJson(credential: Credential): string {
  if (isCredential(credential)) return JSON.stringify(credential);
  throw new ToolError(
    "internal",
    "What should be kept is no credential: its type is secret, password, token, client or certificate, and its members are those of the type.",
  );
}

/** A credential as it was written; `undefined` for anything else. */
export function readCredential(json: string): Credential | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isCredential(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== "object" || value === null) return false;
  const { type, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || !Object.hasOwn(members, type)) return false;
  return Object.entries(members[type as Credential["type"]]).every(([name, check]) =>
    check(rest[name]),
  );
}

function isBinding(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { resource, client } = value as Readonly<Record<string, unknown>>;
  return isText(resource) && isCredential(client) && client.type === "client";
}
