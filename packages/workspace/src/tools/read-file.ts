import { isAscii } from "node:buffer";
import { defineTool, ToolError, type Tool, type ToolOutput } from "@toolweave/core";
import { sniffMediaType } from "@toolweave/core/adapter";
import {
  decodeText,
  detectFormat,
  detectLineEnding,
  type TextFormat,
} from "../files/text-format.ts";
import { examineText } from "../files/examine-text.ts";
import {
  bufferSource,
  fileSource,
  lineFeed,
  readLines,
  type ByteSource,
  type LinesRead,
} from "../files/read-lines.ts";
import { readBytes } from "../files/read-bytes.ts";
import type { OpenFile } from "../jail/path-info.ts";
import { openFile } from "./open-paths.ts";
import { pathPermissions } from "./path-permissions.ts";
import { output, displayPath, type Workspace } from "./workspace.ts";

const maxLines = 2_000;
/** Bytes of lines: with the notes less than the 50,000 bytes that a model reads of one result by default. */
const maxBytes = 48_000;
/** Bytes of a number and a tab before a line. */
const bytesPerNumber = 8;
const maxLineBytes = 2_000;
const maxImageBytes = 5 * 1024 * 1024;
const maxCountedBytes = 64 * 1024 * 1024;
const sampleBytes = 64 * 1024;
/** Files up to this size are examined as a whole: larger ones are not changed by tools. */
const maxExaminedBytes = 100 * 1024 * 1024;

const encodings = ["auto", "utf8", "latin1", "utf16", "base64"] as const;

/** The tool `read_file`. */
export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Read a file of the workspace. The result has a number and a tab before each line, which are not part of the file. Of a long file, read the part that you need with offset and limit.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Relative to the workspace." },
        offset: {
          type: "integer",
          description:
            "The first line, from 1 on. A negative number counts from the end: -20 is the last 20 lines.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: maxLines,
          description: `Lines. Default: ${maxLines}.`,
        },
        line_offset: {
          type: "integer",
          minimum: 0,
          description:
            "Bytes of the line at offset to leave out, to read on in a line that was cut: the result says how many. Only that line is read.",
        },
        encoding: { type: "string", enum: encodings, description: "Default: auto." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path }) => pathPermissions(workspace, path, "read"),
    execute: async (
      { path, offset = 1, limit = maxLines, line_offset: lineOffset, encoding = "auto" },
      ctx,
    ) => {
      if (lineOffset !== undefined && offset < 0) {
        throw new ToolError(
          "invalid_arguments",
          "line_offset needs the number of a line in offset.",
        );
      }
      const file = openFile(workspace, ctx, path);
      try {
        const output = await read(file, {
          ...{ offset, limit, lineOffset, encoding },
          signal: ctx.signal,
        });
        workspace.seenBy(ctx).add(file.info.realPath, file.stat);
        return output;
      } finally {
        file.close();
      }
    },
  });
}

interface ReadOptions {
  readonly offset: number;
  readonly limit: number;
  readonly lineOffset: number | undefined;
  readonly encoding: (typeof encodings)[number];
  readonly signal: AbortSignal;
}

async function read(file: OpenFile, options: ReadOptions): Promise<ToolOutput> {
  const size = Number(file.stat.size);
  const path = displayPath(file.info);
  const sample = readBytes(file.fd, 0, Math.min(size, sampleBytes));
  if (options.encoding === "base64") return asBase64(file, size);
  if (size === 0) return output(`[${path} exists and is empty]`, { path, size });
  const media = sniffMediaType(sample);
  if (media?.startsWith("image/") === true && options.encoding === "auto") {
    if (size <= maxImageBytes) {
      const data = readBytes(file.fd, 0, size).toString("base64");
      return {
        content: [{ type: "image", data, mimeType: media }],
        value: { path, size, mediaType: media },
      };
    }
  }
  const sampled = chooseFormat(sample, options.encoding);
  if (sampled === undefined) return binaryOutput(path, size, sample, media);
  const whole = toSource(file.fd, size, sampled, sample);
  const { format, source, lineEnd } = await openText(whole, sampled, options);
  const { offset, limit, lineOffset } = options;
  // Single bytes are up to two bytes of UTF-8.
  const maxTextBytes = format.encoding === "latin1" ? maxBytes / 2 : maxBytes;
  const bounds = { offset, maxBytes: maxTextBytes, bytesPerLine: bytesPerNumber, maxCountedBytes };
  const found = await readLines(
    source,
    lineOffset === undefined
      ? { ...bounds, limit, maxLineBytes, lineEnd }
      : { ...bounds, limit: 1, maxLineBytes: maxTextBytes, lineEnd, lineOffset },
    options.signal,
  );
  const text = describe(found, options, format, path);
  const eol = detectLineEnding(decodeText(sample, format));
  return output(text, {
    path,
    size,
    encoding: format.encoding,
    eol,
    bom: format.bomBytes > 0,
    ...(found.total === undefined ? {} : { lines: found.total }),
  });
}

/** The text of a file. */
interface OpenText {
  readonly format: TextFormat;
  readonly source: ByteSource;
  readonly lineEnd: number;
}

/** A file that is not all UTF-8 is one of single bytes, wherever the other byte is: searches and edits see it so. */
async function openText(
  source: ByteSource,
  format: TextFormat,
  { encoding, signal }: ReadOptions,
): Promise<OpenText> {
  if (source.size > maxExaminedBytes) return { format, source, lineEnd: lineFeed };
  const { isUtf8, lineEnd } = await examineText(source, signal);
  const isOther = format.encoding === "utf8" && encoding === "auto" && !isUtf8;
  return { format: isOther ? { ...format, encoding: "latin1" } : format, source, lineEnd };
}

/** UTF-8 of a text in another encoding is read as a whole; of a text in UTF-8 or of single bytes, the file itself. */
function toSource(fd: number, size: number, format: TextFormat, sample: Buffer): ByteSource {
  if (!format.encoding.startsWith("utf16")) {
    const { bomBytes } = format;
    // A small file has been read as a whole.
    if (sample.length === size) return bufferSource(sample.subarray(bomBytes));
    const source = fileSource(fd, size);
    return {
      size: size - bomBytes,
      read: (buffer, position) => source.read(buffer, position + bomBytes),
    };
  }
  if (size > maxCountedBytes) {
    throw new ToolError(
      "execution_failed",
      `A file in UTF-16 can be read up to ${maxCountedBytes} bytes, and this one has ${size}. Convert it with a command, such as iconv.`,
    );
  }
  return bufferSource(Buffer.from(decodeText(readBytes(fd, 0, size), format)));
}

function chooseFormat(sample: Buffer, encoding: ReadOptions["encoding"]): TextFormat | undefined {
  // The sample may end within a character.
  const detected = detectFormat(sample);
  if (encoding === "utf8" || encoding === "latin1") {
    return { encoding, bomBytes: detected?.encoding === "utf8" ? detected.bomBytes : 0 };
  }
  if (encoding === "utf16")
    return detected?.encoding.startsWith("utf16") === true
      ? detected
      : { encoding: "utf16le", bomBytes: 0 };
  if (detected?.encoding !== "latin1" || sample.length < sampleBytes) return detected;
  const whole = detectFormat(sample.subarray(0, lastWholeCharacter(sample)));
  return whole ?? detected;
}

function lastWholeCharacter(sample: Buffer): number {
  let end = sample.length - 1;
  while (end > sample.length - 4 && ((sample[end] as number) & 0xc0) === 0x80) end -= 1;
  return end;
}

function describe(
  found: LinesRead,
  { offset, limit, lineOffset }: ReadOptions,
  format: TextFormat,
  path: string,
): string {
  const { first, lines, total, hasMore } = found;
  if (lines.length === 0) {
    const count = total === undefined ? "fewer" : `${total}`;
    return `[${path} has ${count} lines; nothing begins at line ${offset}]`;
  }
  const [only] = lines;
  if (lineOffset !== undefined && only !== undefined && only.start < lineOffset) {
    return `[the line has ${only.start} bytes; nothing begins at line_offset ${lineOffset}]`;
  }
  const body = lines.map(({ bytes, start, omittedBytes }, index) => {
    const text = format.encoding === "latin1" ? bytes.toString("latin1") : bytes.toString("utf8");
    const number = first === undefined ? "" : `${first + index}`;
    const before = start === 0 ? "" : `[${start}+]`;
    const omitted =
      omittedBytes === 0 ? "" : `[+${omittedBytes} bytes; line_offset ${start + bytes.length}]`;
    return `${number.padStart(6)}\t${before}${text}${omitted}`;
  });
  // The characters are as in searches and edits, and may not be those that the author meant.
  const isSingleBytes = format.encoding === "latin1" && lines.some(({ bytes }) => !isAscii(bytes));
  const bytesNote = isSingleBytes ? "not UTF-8: each byte is one character" : "";
  const isAll = first === 1 && !hasMore && total === lines.length && lineOffset === undefined;
  if (isAll) return [...(isSingleBytes ? [`[${bytesNote}]`] : []), ...body].join("\n");
  const last = first === undefined ? undefined : first + lines.length - 1;
  const of = total === undefined ? "more" : `${total}`;
  const range =
    last === undefined ? `the last ${lines.length} lines` : `lines ${first} to ${last} of ${of}`;
  const next = hasMore && last !== undefined ? `; next offset ${last + 1}` : "";
  const isCut = hasMore && lines.length < limit && lineOffset === undefined;
  const cut = isCut ? `; cut at ${maxBytes} bytes` : "";
  return `[${range}${next}${cut}${isSingleBytes ? `; ${bytesNote}` : ""}]\n${body.join("\n")}`;
}

function binaryOutput(
  path: string,
  size: number,
  sample: Buffer,
  media: string | undefined,
): ToolOutput {
  const bytes = sample.subarray(0, 32).toString("hex").replace(/../g, "$& ").trim();
  const text = `[${path} is no text: ${media ?? "binary data"}, ${size} bytes, beginning with ${bytes}. Read it with encoding "base64", or use a command]`;
  return output(text, { path, size, ...(media === undefined ? {} : { mediaType: media }) });
}

function asBase64(file: OpenFile, size: number): ToolOutput {
  const path = displayPath(file.info);
  const limit = maxBytes * 0.75;
  if (size > limit) {
    throw new ToolError(
      "execution_failed",
      `"${path}" has ${size} bytes, and base64 is for up to ${limit}. Use a command.`,
    );
  }
  return output(readBytes(file.fd, 0, size).toString("base64"), {
    path,
    size,
    encoding: "base64",
  });
}
