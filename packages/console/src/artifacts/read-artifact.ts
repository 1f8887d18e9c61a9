import type { ToolExecutor } from "@toolweave/core";
import { ToolError } from "@toolweave/core";
import {
  bytesToBase64,
  decodeUtf8,
  findText,
  isReadableMediaType,
  readTextPage,
} from "@toolweave/core/adapter";
import { parseOwner, type StoredArtifact } from "@toolweave/core/stores";
import type { ConsoleCaller } from "../authentication/console-caller.ts";
import { Problem } from "../http/problem.ts";
import { maySee, type ConsoleOwners } from "../authentication/visibility.ts";
import { maxImageBytes, sniffDisplayedImage } from "./displayed-image.ts";

/** The executor whose artifacts are read, and the rule for their owners. */
export interface ArtifactSources {
  readonly executor: ToolExecutor;
  readonly owners: ConsoleOwners;
}

/** A page of an artifact. */
export interface ArtifactPage {
  readonly key: string;
  readonly name?: string;
  readonly mediaType: string;
  /** The size of the whole. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; removed afterwards. */
  readonly expiresAt?: number;
  /** The output was longer than what was stored. */
  readonly truncated?: true;
  /** The byte with which the page begins: that of the request, or the start of its character. */
  readonly offset: number;
  /** The text of the page, with a mask in place of each secret. Absent: the artifact is no text. */
  readonly text?: string;
  /** The `offset` of the next page. Absent: this is the last one, or the artifact is no text. */
  readonly nextOffset?: number;
  /** An image of at most 1 MiB whose bytes are those of PNG, JPEG, WebP, GIF or AVIF. */
  readonly image?: { readonly mediaType: string; readonly dataUrl: string };
}

/** The places of an artifact where a text was found. */
export interface ArtifactMatches {
  readonly items: readonly {
    /** From 1. */
    readonly line: number;
    /** The byte with which the match begins; after a mask in the same line, only near it. */
    readonly offset: number;
    /** The match with the text around it. */
    readonly text: string;
  }[];
  /** The `offset` of further matches. Absent: there are no more. */
  readonly nextOffset?: number;
}

/** Bytes of a page. */
export const defaultLength = 65_536;
export const maxLength = 1_048_576;

const maxSearchBytes = 33_554_432;
const maxMatches = 100;

/**
 * Bytes before and after a page that are searched for secrets, so that a secret across its ends is found: more than any
 * form of a credential has.
 */
const searchedAround = 70_000;

/** @throws Problem `not_found`, also for an artifact of another owner. */
export async function findArtifact(
  { executor, owners }: ArtifactSources,
  sender: ConsoleCaller,
  key: string,
): Promise<StoredArtifact> {
  const found = await executor.artifacts.find(key).catch(rethrowUnlessMissing);
  if (found !== undefined && maySee(sender, owners, parseOwner(found.owner))) return found;
  throw missingProblem();
}

/** Reads a page of an artifact. */
export async function readPage(
  { executor }: ArtifactSources,
  artifact: StoredArtifact,
  offset: number,
  length: number,
): Promise<ArtifactPage> {
  const { key, name, mediaType, size, createdAt, expiresAt, truncated } = artifact;
  const about = {
    key,
    ...(name === undefined ? {} : { name: executor.redact(name) }),
    ...{ mediaType, bytes: size, createdAt, expiresAt },
    ...(truncated === undefined ? {} : { truncated }),
  };
  if (offset > size) {
    throw new Problem("invalid_query", `offset is beyond the end: the artifact has ${size} bytes.`);
  }
  const page = await readRedactedText(executor, artifact, offset, length);
  if (page !== undefined) {
    const { text, start, end } = page;
    return { ...about, offset: start, text, ...(end < size ? { nextOffset: end } : {}) };
  }
  const image = await readImage(executor, artifact);
  return { ...about, offset, ...(image === undefined ? {} : { image }) };
}

/** Finds a text in an artifact, literally and case-insensitively, line by line. */
export async function searchArtifact(
  { executor }: ArtifactSources,
  artifact: StoredArtifact,
  wanted: string,
  offset: number,
): Promise<ArtifactMatches> {
  const { mediaType, size } = artifact;
  if (size > maxSearchBytes) {
    const detail = `The artifact has ${size} bytes; up to ${maxSearchBytes} are searched. Download it instead.`;
    throw new Problem("not_searchable", detail);
  }
  const text = isReadableMediaType(mediaType)
    ? decodeUtf8(await readBytes(executor, artifact, 0, size))
    : undefined;
  if (text === undefined) {
    throw new Problem("not_searchable", `The artifact is ${mediaType}, which is no text.`);
  }
  const lines = text.split(/(?<=\n)/);
  const redacted = executor.redactParts(lines);
  const items: ArtifactMatches["items"][number][] = [];
  const encoder = new TextEncoder();
  let start = 0;
  for (const [index, line] of redacted.entries()) {
    for (const match of findText(line, wanted)) {
      const found = { line: index + 1, offset: start + match.offset, text: match.text };
      if (found.offset < offset) continue;
      if (items.length === maxMatches) return { items, nextOffset: found.offset };
      items.push(found);
    }
    start += encoder.encode(lines[index]).byteLength;
  }
  return { items };
}

/** Reads an artifact as a stream: of a text, secrets are masked. */
export function streamArtifact(
  { executor }: ArtifactSources,
  artifact: StoredArtifact,
): ReadableStream<Uint8Array> {
  const { size } = artifact;
  const encoder = new TextEncoder();
  let offset = 0;
  return new ReadableStream({
    async pull(controller) {
      if (offset >= size) return controller.close();
      const page = await readRedactedText(executor, artifact, offset, maxLength);
      const bytes =
        page === undefined
          ? await readRedactedBytes(executor, artifact, offset, maxLength)
          : encoder.encode(page.text);
      offset = page?.end ?? offset + bytes.byteLength;
      controller.enqueue(bytes);
    },
  });
}

interface RedactedPage {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Reads a page of text without secrets; `undefined`: it is no text. */
async function readRedactedText(
  executor: ToolExecutor,
  artifact: StoredArtifact,
  offset: number,
  maxBytes: number,
): Promise<RedactedPage | undefined> {
  const { size, mediaType } = artifact;
  if (!isReadableMediaType(mediaType)) return undefined;
  const read = (at: number, length: number): Promise<Uint8Array> =>
    readBytes(executor, artifact, at, length);
  const readPart = (at: number, length: number): ReturnType<typeof readTextPage> =>
    readTextPage(read, { size, offset: at, maxBytes: length, isText: true });
  const page = await readPart(offset, maxBytes);
  if (page.isBase64) return undefined;
  const { start, end } = page;
  const before = Math.max(0, start - searchedAround);
  const isFirst = before === start;
  const isLast = end >= size;
  const [prefix, suffix] = await Promise.all([
    isFirst ? undefined : readExactly(read, before, start),
    isLast ? undefined : readExactly(read, end, Math.min(size, end + searchedAround)),
  ]);
  const [, text = ""] = executor.redactParts([prefix ?? "", page.text, suffix ?? ""]);
  return { text, start, end };
}

/** Reads bytes in which known secrets are overwritten. */
async function readRedactedBytes(
  executor: ToolExecutor,
  artifact: StoredArtifact,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const { size, mediaType } = artifact;
  const start = Math.max(0, offset - searchedAround);
  const end = Math.min(size, offset + length);
  const searched = await readBytes(executor, artifact, start, end + searchedAround - start);
  const redacted = executor.redactBytes(searched, mediaType);
  const part = searched.subarray(offset - start, end - start);
  // Bytes that can be read as a text get masks, which have other lengths than the secrets.
  if (redacted.byteLength !== searched.byteLength) return executor.redactBytes(part, mediaType);
  return redacted.subarray(offset - start, end - start);
}

/** Decodes bytes that are only searched: their first and last character may be incomplete. */
async function readExactly(
  read: (offset: number, length: number) => Promise<Uint8Array>,
  from: number,
  to: number,
): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await read(from, to - from));
}

async function readImage(
  executor: ToolExecutor,
  artifact: StoredArtifact,
): Promise<ArtifactPage["image"]> {
  const { size } = artifact;
  if (size > maxImageBytes) return undefined;
  const stored = await readBytes(executor, artifact, 0, size);
  const bytes = executor.redactBytes(stored, artifact.mediaType);
  const mediaType = sniffDisplayedImage(bytes);
  if (mediaType === undefined) return undefined;
  return { mediaType, dataUrl: `data:${mediaType};base64,${bytesToBase64(bytes)}` };
}

async function readBytes(
  executor: ToolExecutor,
  artifact: StoredArtifact,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = await executor.artifacts.read(artifact, offset, length).catch(rethrowUnlessMissing);
  if (bytes === undefined) throw missingProblem();
  return bytes;
}

function rethrowUnlessMissing(error: unknown): undefined {
  if (ToolError.is(error) && error.code === "artifact_missing") return undefined;
  throw error;
}

function missingProblem(): Problem {
  return new Problem(
    "not_found",
    "There is no artifact with this key: it has expired, or the key is wrong.",
  );
}
