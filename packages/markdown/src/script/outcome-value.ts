import type { ContentBlock, JsonValue, ToolContext, ToolOutcome } from "@toolweave/core";

/**
 * The result of a call as a script receives it: the structured value, else the text. A text that was too long for a model,
 * and was stored, is read from the store: what a script receives has no such limit. Lines that mark a result as data for a
 * model are left out.
 */
export async function toScriptValue(
  { result }: ToolOutcome,
  { artifacts }: Pick<ToolContext, "artifacts">,
): Promise<JsonValue> {
  if (result === undefined) return "";
  if (result.value !== undefined) return result.value;
  const [stored] = result.artifacts;
  if (stored !== undefined && result.artifacts.length === 1 && isText(stored.mediaType)) {
    const content = await artifacts.read(stored.key).catch(() => undefined);
    if (content !== undefined) return await content.text();
  }
  return withoutFrame(result.content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function isText(mediaType: string): boolean {
  return /^(?:text\/|application\/(?:.*\+)?json\b)/.test(mediaType);
}

/** The content between the lines that `frameOutputs` of the executor adds. */
function withoutFrame(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const [first] = content;
  const last = content.at(-1);
  if (first?.type !== "text" || last?.type !== "text" || content.length < 2) return content;
  const mark = /^\[data ([\w-]{18}): /.exec(first.text)?.[1];
  return mark !== undefined && last.text === `[end ${mark}]` ? content.slice(1, -1) : content;
}
