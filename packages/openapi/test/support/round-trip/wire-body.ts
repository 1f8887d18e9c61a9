import { Readable } from "node:stream";
import busboy from "busboy";

/** A part of a form as a server reads it. */
export interface WireField {
  readonly name: string;
  readonly isFile: boolean;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Reads `multipart/form-data` with a server's own reader. */
export async function readForm(contentType: string, body: Buffer): Promise<WireField[]> {
  const fields: WireField[] = [];
  const pending: Promise<void>[] = [];
  const reader = busboy({ headers: { "content-type": contentType }, defParamCharset: "utf8" });
  reader.on("field", (name, value, { mimeType }) =>
    fields.push({
      name: unescaped(name),
      isFile: false,
      type: mimeType,
      bytes: Buffer.from(value),
    }),
  );
  reader.on("file", (name, stream, { mimeType }) => {
    const at =
      fields.push({ name: unescaped(name), isFile: true, type: mimeType, bytes: Buffer.alloc(0) }) -
      1;
    pending.push(
      (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        fields[at] = { ...(fields[at] as WireField), bytes: Buffer.concat(chunks) };
      })(),
    );
  });
  const done = new Promise((resolve, reject) => reader.on("close", resolve).on("error", reject));
  Readable.from([body]).pipe(reader);
  await done;
  await Promise.all(pending);
  return fields;
}

/** The escapes of browsers in a name, and only those (WHATWG HTML, "multipart/form-data"). */
function unescaped(name: string): string {
  return name.replace(/%22|%0D|%0A/g, (triple) => decodeURIComponent(triple));
}

/** A part of another multipart body. */
export interface WirePart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reads a multipart body by RFC 2046 section 5.1.1, byte by byte. */
export function readMultipart(contentType: string, body: Buffer): WirePart[] {
  const boundary = /;\s*boundary=([^;]+)$/.exec(contentType)?.[1] ?? "";
  const delimiter = `--${boundary}`;
  const text = `\r\n${body.toString("latin1")}`;
  const pieces = text.split(`\r\n${delimiter}`);
  if (pieces.at(-1) !== "--\r\n") throw new Error("the body has no end");
  return pieces.slice(1, -1).map((piece) => {
    if (!piece.startsWith("\r\n")) throw new Error("odd delimiter line");
    const end = piece.indexOf("\r\n\r\n");
    const head = piece.slice(2, Math.max(end, 2));
    const headers = Object.fromEntries(
      head
        .split("\r\n")
        .filter((line) => line !== "")
        .map((line) => {
          const at = line.indexOf(": ");
          return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
        }),
    );
    return { headers, body: Buffer.from(piece.slice(end + 4), "latin1") };
  });
}

/** Reads server-sent events (HTML, "Interpreting an event stream"). */
export function readEvents(text: string): Record<string, string>[] {
  const events: Record<string, string>[] = [];
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/)) {
    if (block === "") continue;
    const event: Record<string, string> = {};
    for (const line of block.split(/\r\n|\n|\r/)) {
      const at = line.indexOf(":");
      if (at <= 0) continue;
      const name = line.slice(0, at);
      const value = line.slice(at + 1).replace(/^ /, "");
      event[name] = name === "data" && name in event ? `${event[name]}\n${value}` : value;
    }
    events.push(event);
  }
  return events;
}
