import { defineTool, ToolError, type Tool, type ToolOutput } from "@toolweave/core";
import { sniffMediaType } from "@toolweave/core/adapter";
import {
  decodeText,
  detectFormat,
  detectLineEnding,
  type TextFormat,
} from "../files/text-format.ts";
import {
  bufferSource,
  fileSource,
  readLines,
  type ByteSource,
  type LinesRead,
} from "../files/read-lines.ts";
import { readBytes } from "../files/read-bytes.ts";
import type { OpenFile } from "../jail/jail.ts";
import { openFile } from "./open-paths.ts";
import { pathPermissions } from "./path-permissions.ts";
import { output, displayPath, type Workspace } from "./workspace.ts";

const maxLines = 2_000;
const maxBytes = 50 * 1024;
const maxLineBytes = 2_000;
const maxImageBytes = 5 * 1024 * 1024;
const maxCountedBytes = 64 * 1024 * 1024;
const sampleBytes = 64 * 1024;

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
        encoding: { type: "string", enum: encodings, description: "Default: auto." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path }) => pathPermissions(workspace, path, "read"),
    execute: async ({ path, offset = 1, limit = maxLines, encoding = "auto" }, ctx) => {
      const file = openFile(workspace, ctx, path);
      try {
        const output = await read(file, { offset, limit, encoding, signal: ctx.signal });
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
  const format = chooseFormat(sample, options.encoding);
  if (format === undefined) return binaryOutput(path, size, sample, media);
  const source = await toSource(file.fd, size, format);
  const found = await readLines(
    source,
    { offset: options.offset, limit: options.limit, maxBytes, maxLineBytes, maxCountedBytes },
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

/** UTF-8 of a text in another encoding is read as a whole; of a text in UTF-8 or of single bytes, the file itself. */
async function toSource(fd: number, size: number, format: TextFormat): Promise<ByteSource> {
  if (!format.encoding.startsWith("utf16")) {
    const { bomBytes } = format;
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
  { offset, limit }: ReadOptions,
  format: TextFormat,
  path: string,
): string {
  const { first, lines, total, hasMore } = found;
  if (lines.length === 0) {
    const count = total === undefined ? "fewer" : `${total}`;
    return `[${path} has ${count} lines; nothing begins at line ${offset}]`;
  }
  const body = lines.map(({ bytes, omittedBytes }, index) => {
    const text = format.encoding === "latin1" ? bytes.toString("latin1") : bytes.toString("utf8");
    const number = first === undefined ? "" : `${first + index}`;
    const omitted = omittedBytes === 0 ? "" : `[+${omittedBytes} bytes]`;
    return `${number.padStart(6)}\t${text}${omitted}`;
  });
  const isAll = first === 1 && !hasMore && total === lines.length;
  if (isAll) return body.join("\n");
  const last = first === undefined ? undefined : first + lines.length - 1;
  const of = total === undefined ? "more" : `${total}`;
  const range =
    last === undefined ? `the last ${lines.length} lines` : `lines ${first} to ${last} of ${of}`;
  const next = hasMore && last !== undefined ? `; next offset ${last + 1}` : "";
  const cut = hasMore && lines.length < limit ? `; cut at ${maxBytes} bytes` : "";
  return `[${range}${next}${cut}]\n${body.join("\n")}`;
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
