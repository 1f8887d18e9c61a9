import { rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ContentBlock } from "@toolweave/core";
import { UsageError } from "../../process/exit-code.ts";

/**
 * Makes sure that an answer can be saved, before the call is made: it may not be made again for that.
 *
 * @param option what errors call it.
 * @throws UsageError
 */
export async function checkSavePath(path: string | undefined, option = "--output"): Promise<void> {
  if (path === undefined) return;
  const folder = dirname(path);
  const [folderStat, fileStat] = await Promise.all(
    [folder, path].map((one) => stat(one).catch(() => undefined)),
  );
  if (path === "" || folderStat?.isDirectory() !== true) {
    throw new UsageError(`${option}: there is no folder ${JSON.stringify(folder)}.`);
  }
  if (fileStat?.isDirectory() === true) {
    throw new UsageError(`${option}: ${JSON.stringify(path)} is a folder: name a file in it.`);
  }
}

/** Returns the bytes to save of a result: those of its only file, image or sound, otherwise its text. */
export function toFileBytes(content: readonly ContentBlock[]): Uint8Array {
  const binary = content.flatMap((block) => getBase64(block) ?? []);
  const [only] = binary;
  return only !== undefined && binary.length === 1
    ? Buffer.from(only, "base64")
    : Buffer.from(renderResult(content).text);
}

/** Writes a file whole or not at all; one that is there is replaced. */
export async function saveFile(path: string, bytes: Uint8Array): Promise<void> {
  const part = join(dirname(path), `.${basename(path).slice(0, 100)}.${crypto.randomUUID()}.part`);
  try {
    await writeFile(part, bytes, { flag: "wx" });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

function getBase64(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" ? block.resource.blob : undefined;
}

/** A tool's result, as a command prints it. */
interface RenderedResult {
  /** The text, for stdout. */
  readonly text: string;
  /** Notes for stderr: content that stdout cannot hold, a sentence each, and notes about pages in brackets. */
  readonly notes: readonly string[];
}

/** A note about pages, which an OpenAPI tool adds to its result: it is no part of the text of the API. */
const pageNote = /^\[(?:more: call |\d+ pages?, \d+ items)[^\n]*\]$/;

/** Makes text of content blocks. Binary ones are only named: `--output` saves them. */
export function renderResult(content: readonly ContentBlock[]): RenderedResult {
  const texts: string[] = [];
  const notes: string[] = [];
  const note = (what: string, mimeType: string | undefined, base64: string): void => {
    const bytes = Buffer.byteLength(base64, "base64");
    notes.push(
      `The result contains ${what} (${mimeType ?? "of unknown type"}, ${bytes} bytes): save it with --output, or print it as base64 with --json.`,
    );
  };
  for (const [index, block] of content.entries()) {
    if (block.type === "text") {
      if (index > 0 && pageNote.test(block.text)) notes.push(block.text);
      else texts.push(block.text);
    } else if (block.type === "resource_link") texts.push(`${block.name}: ${block.uri}`);
    else if (block.type === "image") note("an image", block.mimeType, block.data);
    else if (block.type === "audio") note("a sound", block.mimeType, block.data);
    else if (block.resource.text !== undefined) texts.push(block.resource.text);
    else note("a file", block.resource.mimeType, block.resource.blob ?? "");
  }
  return { text: texts.join("\n"), notes };
}
