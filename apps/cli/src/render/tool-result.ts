import type { ContentBlock } from "@toolweave/core";

/** A tool's result, as a command prints it. */
export interface RenderedResult {
  /** The text, for stdout. */
  readonly text: string;
  /** Notes for stderr about content that stdout cannot hold, a sentence each. */
  readonly notes: readonly string[];
}

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
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "resource_link") texts.push(`${block.name}: ${block.uri}`);
    else if (block.type === "image") note("an image", block.mimeType, block.data);
    else if (block.type === "audio") note("a sound", block.mimeType, block.data);
    else if (block.resource.text !== undefined) texts.push(block.resource.text);
    else note("a file", block.resource.mimeType, block.resource.blob ?? "");
  }
  return { text: texts.join("\n"), notes };
}
