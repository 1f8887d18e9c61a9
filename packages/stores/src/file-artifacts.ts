import { randomUUID } from "node:crypto";
import { lstat, open, rename, rm, type FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "@toolweave/core";
import type { ArtifactStore, StoredArtifact } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { quotaOwner } from "@toolweave/core/stores";
import {
  artifactHead,
  readBytes,
  withArtifact,
  ArtifactSpace,
  unfinishedName,
  type OpenArtifact,
} from "./artifact-space.ts";
import { OwnFolder } from "./private-file.ts";
import {
  artifactTaken,
  describedArtifact,
  endOfRange,
  isArtifactKey,
} from "./described-artifact.ts";
import { storeError, unavailable } from "./store-error.ts";
import { checkedQuotas, type ArtifactQuotas } from "./store-limits.ts";

/** The folder of the artifact files, and their limits. */
export interface FileArtifactsOptions {
  /**
   * The folder, of this user alone: made with mode 0700, and refused when others can get at it. On a
   * local disk only.
   */
  readonly path: string;
  /** Bytes of all files together. Default: 1,073,741,824 (1 GiB). */
  readonly maxBytes?: number;
  /**
   * Bytes of the files of one owner (`quotaOwner` of `@toolweave/core`: a caller over all its sessions), so that one
   * cannot use up the space of all. Recent writes of other processes are not counted yet. Default: a quarter of
   * `maxBytes`.
   */
  readonly maxBytesPerOwner?: number;
  /** By which artifacts expire. Default: the system's. */
  readonly clock?: Clock;
}

const optionNames: readonly string[] = [
  "path",
  "maxBytes",
  "maxBytesPerOwner",
  "clock",
] satisfies readonly (keyof FileArtifactsOptions)[];

/**
 * Stores each artifact in a file of its own, with mode 0600, in a folder that any number of processes of one machine
 * may share. Writes are atomic, and on the disk before `put` resolves. Reading a part reads no more than that part.
 *
 * `put` fails with a `ToolError` `limit_exceeded` when the quota, or the owner's, is used up and nothing has expired,
 * and everything with `store_unavailable` when the disk is full or cannot be written, the folder was deleted or
 * replaced, or a file is damaged or a link. A deleted file is as if it had expired.
 *
 * @throws ToolError `store_unavailable` if the folder cannot be made or other users have access; `invalid_configuration` for invalid
 * options.
 */
export function fileArtifacts(options: string | FileArtifactsOptions): ArtifactStore {
  const given = typeof options === "object" && options !== null ? options : { path: options };
  checkOptions("fileArtifacts", given, optionNames);
  const { path, maxBytes, maxBytesPerOwner, clock } = given;
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `fileArtifacts needs a path: fileArtifacts("artifacts").`,
    );
  }
  const quotas = checkedQuotas("fileArtifacts: maxBytes", maxBytes, maxBytesPerOwner);
  return new FileArtifacts(resolve(path), quotas, clock ?? Date);
}

class FileArtifacts implements ArtifactStore {
  readonly #folder: OwnFolder;
  readonly #clock: Pick<Clock, "now">;
  readonly #space: ArtifactSpace;
  readonly #writer = randomUUID();

  constructor(path: string, quotas: ArtifactQuotas, clock: Pick<Clock, "now">) {
    this.#folder = new OwnFolder(path);
    this.#clock = clock;
    this.#space = new ArtifactSpace({
      folder: this.#folder,
      writer: this.#writer,
      ...quotas,
      now: () => clock.now(),
      hasExpired: (key) => this.#hasExpired(key),
      readQuotaOwner: (key) => this.#readQuotaOwner(key),
    });
  }

  async put(artifact: StoredArtifact, data: Uint8Array): Promise<void> {
    const { json, expiresAt } = describedArtifact(artifact, data);
    const { key } = artifact;
    const head = artifactHead(json);
    const size = head.length + data.byteLength;
    const counted = quotaOwner(artifact.owner);
    await this.#guarded(async () => {
      await this.#space.reserve(size, counted);
      try {
        await this.#write(key, [head, data], size, expiresAt);
        this.#space.changed(key, size, counted);
      } finally {
        this.#space.release(size, counted);
      }
    });
  }

  head(key: string): Promise<StoredArtifact | undefined> {
    return this.#open(key, ({ artifact }) => artifact);
  }

  read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    return this.#open(key, async ({ handle, artifact, dataOffset }) => {
      const wanted = endOfRange(artifact.size, offset, length) - offset;
      const bytes = await readBytes(handle, dataOffset + offset, wanted);
      if (bytes.length < wanted) throw this.#damaged(key);
      return bytes;
    });
  }

  async delete(key: string): Promise<void> {
    if (!isArtifactKey(key)) return;
    await this.#guarded(async () => {
      await this.#folder.assertThere();
      await rm(this.#toPath(key), { force: true });
      this.#space.changed(key, 0);
    });
  }

  async #write(
    key: string,
    parts: readonly Uint8Array[],
    size: number,
    expiresAt: number,
  ): Promise<void> {
    const path = this.#toPath(key);
    const unfinished = join(this.#folder.path, unfinishedName(key, this.#writer));
    await this.#folder.assertThere();
    const file = await open(unfinished, "wx", 0o600);
    try {
      try {
        // Not before it is known that it was made where it should be.
        await this.#folder.assertThere();
        for (const part of parts) await file.writeFile(part);
        await finish(file, size, expiresAt);
      } finally {
        await file.close();
      }
      await this.#assertNew(key, path);
      await rename(unfinished, path);
      await this.#folder.sync();
      await this.#folder.assertThere();
    } catch (error) {
      // A file that remains is removed when it is old.
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  async #assertNew(key: string, path: string): Promise<void> {
    if ((await lstat(path).catch(() => undefined)) === undefined) return;
    throw artifactTaken(key);
  }

  /** Does `work` with an artifact that is there and has not expired. */
  async #open<T>(
    key: string,
    work: (file: OpenArtifact) => T | Promise<T>,
  ): Promise<T | undefined> {
    if (!isArtifactKey(key)) return undefined;
    return this.#guarded(async () => {
      await this.#folder.assertThere();
      return withArtifact(
        this.#toPath(key),
        key,
        () => this.#damaged(key),
        (file) => (file.artifact.expiresAt > this.#clock.now() ? work(file) : undefined),
      );
    });
  }

  async #hasExpired(key: string): Promise<boolean> {
    const expiresAt = await withArtifact(
      this.#toPath(key),
      key,
      () => this.#damaged(key),
      ({ artifact }) => artifact.expiresAt,
    ).catch((error: unknown) => {
      // Damaged and old: unreadable for good. A file that is only temporarily unreadable stays.
      if (ToolError.is(error)) return undefined;
      return Infinity;
    });
    return (expiresAt ?? -Infinity) <= this.#clock.now();
  }

  async #readQuotaOwner(key: string): Promise<string> {
    const owner = await withArtifact(
      this.#toPath(key),
      key,
      () => this.#damaged(key),
      ({ artifact }) => quotaOwner(artifact.owner),
    ).catch(() => undefined);
    return owner ?? "";
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeError(this.#folder.path, error);
    }
  }

  #toPath(key: string): string {
    return join(this.#folder.path, key);
  }

  #damaged(key: string): ToolError {
    return unavailable(
      this.#toPath(key),
      "is damaged, or not the file that was written: delete it",
      {
        retryable: false,
      },
    );
  }
}

/** All of it is on the disk, with when it expires as its time. */
async function finish(file: FileHandle, size: number, expiresAt: number): Promise<void> {
  const stat = await file.stat();
  if (stat.size !== size) {
    throw new ToolError("internal", "The bytes of an artifact were changed while it was written.");
  }
  await file.utimes(expiresAt / 1000, expiresAt / 1000);
  await file.sync();
}
