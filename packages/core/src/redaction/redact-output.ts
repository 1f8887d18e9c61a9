import { isReadableMediaType } from "../results/media-type.ts";
import { base64ToBytes, bytesToBase64 } from "../text/base64.ts";
import type { ContentBlock } from "../contract/content-block.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { Redactor, StreamRedactor } from "../contract/redactor.ts";
import { redactValue } from "./redact-value.ts";
import type { CallInfo } from "../contract/call-info.ts";

/** The redactor's methods that an output needs. */
export interface OutputRedactor extends Pick<Redactor, "text" | "error" | "bytes"> {
  /** Base64 of bytes that are no text. */
  base64(data: string): string;
  /** Texts that are read as one. */
  texts(texts: readonly string[]): readonly string[];
}

/** An output without secrets: the same where there are none. */
export function redactOutput(output: ToolOutput, by: OutputRedactor): ToolOutput {
  const rule = (text: string): string => by.text(text);
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(output)) {
    const given = (output as unknown as Record<string, unknown>)[key];
    const clean =
      key === "content"
        ? redactContent(given as readonly ContentBlock[], by, rule)
        : key === "error" && ToolError.is(given)
          ? by.error(given)
          : typeof given === "boolean" || given === undefined
            ? given
            : redactValue(given, rule);
    if (clean !== given) (copy ??= { ...output })[key] = clean;
  }
  return (copy as ToolOutput | undefined) ?? output;
}

function redactContent(
  content: readonly ContentBlock[],
  by: OutputRedactor,
  rule: (text: string) => string,
): readonly ContentBlock[] {
  let copy: ContentBlock[] | undefined;
  for (let index = 0; index < content.length; index++) {
    const block = content[index] as ContentBlock;
    const clean = redactBlock(block, by, rule);
    if (clean !== block) (copy ??= [...content])[index] = clean;
  }
  return joined(copy ?? content, by);
}

/** A secret may be cut between two texts that are read as one. */
function joined(content: readonly ContentBlock[], by: OutputRedactor): readonly ContentBlock[] {
  if (content.length < 2) return content;
  const texts = content.flatMap((block) => (block.type === "text" ? block.text : []));
  if (texts.length < 2) return content;
  const redacted = by.texts(texts);
  if (redacted === texts) return content;
  let next = 0;
  return content.map((block) =>
    block.type === "text" ? { ...block, text: redacted[next++] as string } : block,
  );
}

/** Every member of a block is read, whether or not its type is to have it. */
function redactBlock<Block extends object>(
  block: Block,
  by: OutputRedactor,
  rule: (text: string) => string,
): Block {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(block)) {
    if (key === "type") continue;
    const given = (block as Record<string, unknown>)[key];
    let clean: unknown;
    if (typeof given === "string") {
      clean = key === "data" || key === "blob" ? redactData(given, block, by) : by.text(given);
    } else if (key === "resource") clean = redactBlock(given as object, by, rule);
    else clean = redactValue(given, rule);
    if (clean !== given) (copy ??= { ...block } as Record<string, unknown>)[key] = clean;
  }
  return (copy as Block | undefined) ?? block;
}

function redactData(data: string, block: { mimeType?: unknown }, by: OutputRedactor): string {
  const { mimeType } = block;
  const type = typeof mimeType === "string" ? mimeType : "";
  // A secret in an image's bytes is found without decoding the image; an SVG is text.
  if (/^(?:image|audio|video)\/(?!svg)/i.test(type)) return by.base64(data);
  const bytes = base64ToBytes(data);
  // No base64 after all.
  if (bytes === undefined) return by.text(data);
  const clean = by.bytes(bytes, type);
  return clean === bytes ? data : bytesToBase64(clean);
}

/** Matches media types whose bytes are text or contain some: more than a model is given as text. */
export function hasText(mediaType: string): boolean {
  return (
    isReadableMediaType(mediaType) ||
    /^\s*(?:text|message|multipart)\/|[/+](?:(?:x-)?(?:json|xml|yaml|javascript|ecmascript|typescript|toml|sql|graphql|csv|html|ndjson|jsonl|jsonlines|json-seq|sh|csh|shellscript|python|ruby|perl|php|httpd-php|lua|tex|latex|pem-file|x509-ca-cert|java-keystore|env|ini|properties|subrip)|www-form-urlencoded|x-www-form-urlencoded|pem-certificate-chain|pkcs8|pkcs10|pgp-keys|pgp-encrypted|pgp-signature|http|rtf|jwt|jose|sdp|postscript|mbox|n-triples|n-quads|trig|sparql-query|vnd\.[\w.-]*(?:json|yaml|csv))\b/i.test(
      mediaType,
    )
  );
}

/** By call and kind: what has passed. */
const passing = new WeakMap<CallInfo, Partial<Record<"progress" | "update", StreamRedactor>>>();

/** Redacts the next text of that kind that a call emits while it runs. */
export function redactStreamedText(
  execution: CallInfo,
  kind: "progress" | "update",
  text: string,
): string {
  const redactor = execution.redactor;
  if (redactor === undefined) return text;
  let kinds = passing.get(execution);
  if (kinds === undefined) passing.set(execution, (kinds = {}));
  return (kinds[kind] ??= redactor.streamRedactor()).next(text);
}

/** An update, as far as its texts may pass. */
export function redactStreamedOutput(execution: CallInfo, output: ToolOutput): ToolOutput {
  let changed = false;
  const content = output.content.map((block) => {
    if (block.type !== "text") return block;
    const text = redactStreamedText(execution, "update", block.text);
    if (text === block.text) return block;
    changed = true;
    return { ...block, text };
  });
  return changed ? { ...output, content } : output;
}
