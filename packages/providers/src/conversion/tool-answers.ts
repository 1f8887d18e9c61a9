import { ToolError, type ContentBlock, type ToolOutcome, type ToolResult } from "@toolweave/core";

/** The answer for a provider: an outcome, or the result in it. */
export type Answered = ToolOutcome | ToolResult;

/**
 * The results of the answered calls.
 *
 * @throws ToolError `internal` for a call that waits for a person: it has no result yet, and a provider's result cannot
 * be replaced later.
 */
export function resultsOf(answered: readonly Answered[]): readonly ToolResult[] {
  return answered.map((one) => {
    if (!("status" in one)) return one;
    if (one.status !== "interrupted") return one.result;
    const { name, id } = one.interruption.call;
    throw new ToolError(
      "internal",
      `The call ${id} of ${name} waits for a person and has no result yet. Go on with executor.resume(interruption, answers), and give the outcome of that.`,
    );
  });
}

/** One part of a result: text, or a file. */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly file: AnswerFile };

/** A file in a result. */
export interface AnswerFile {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  /** How it is called, where that is known. */
  readonly name?: string;
}

/**
 * The content of a result for the model, with a text in place of each file that the provider does not accept. Never
 * empty: some providers reject a result without a text.
 */
export function answerParts(
  { content }: ToolResult,
  takes: (file: AnswerFile) => boolean,
): readonly AnswerPart[] {
  const parts = content
    .map(partOf)
    .map((part): AnswerPart =>
      part.type === "text" || takes(part.file) ? part : { type: "text", text: noteOf(part.file) },
    )
    .filter((part) => part.type === "file" || part.text !== "");
  return parts.length === 0 ? [{ type: "text", text: "(no output)" }] : parts;
}

/** A result as text alone. */
export function answerText(result: ToolResult): string {
  return answerParts(result, () => false)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
}

function partOf(block: ContentBlock): AnswerPart {
  switch (block.type) {
    case "text":
      return block;
    case "image":
    case "audio":
      return { type: "file", file: { mediaType: block.mimeType, data: block.data } };
    case "resource": {
      const { uri, mimeType = "application/octet-stream", text, blob } = block.resource;
      return blob === undefined
        ? { type: "text", text: text ?? uri }
        : { type: "file", file: { mediaType: mimeType, data: blob, name: uri } };
    }
    case "resource_link": {
      // As text: a provider would load a link that a tool chose.
      const { name, uri, description } = block;
      return { type: "text", text: `${name}: ${uri}${description ? ` (${description})` : ""}` };
    }
  }
}

function noteOf({ mediaType, data, name }: AnswerFile): string {
  const bytes = Math.floor((data.length * 3) / 4) - (data.match(/=*$/)?.[0].length ?? 0);
  const what = name === undefined ? mediaType : `${name}, ${mediaType}`;
  return `[${what}, ${bytes} bytes, not shown: this model's provider takes none as a tool's result]`;
}
