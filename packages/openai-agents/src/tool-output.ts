import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from "@openai/agents-core";
import {
  displayProse,
  type ContentBlock,
  type Interruption,
  type ToolOutcome,
} from "@toolweave/core";
import { isAnswerable } from "./answerable.ts";

/** The result of a call for the SDK: one text, or parts when it is more than text. */
export type AgentToolOutput = string | OutputPart[];

type OutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

/** The media types of images that models accept (https://platform.openai.com/docs/guides/images-vision). */
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The result's bounded content; for a pending call, what it waits for. A failure is a text, too. */
export function outputOf(outcome: ToolOutcome): AgentToolOutput {
  return outcome.status === "interrupted"
    ? waiting(outcome.interruption)
    : contentOutput(outcome.result.content);
}

/** The text for the model about a call that lacks the approval it needs. */
export function notApproved(name: string): string {
  return (
    `${name} was not run now: it needs a person's approval, and this call has none that is valid. ` +
    `An approval counts once, for the arguments that were shown, and not for ever. ` +
    `If it has not been done already, call ${name} again to ask anew.`
  );
}

/** Never a value of the tool's own: the SDK would take what looks like a part for one, links included. */
function contentOutput(content: readonly ContentBlock[]): AgentToolOutput {
  const parts = content.map(partOf);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Some models refuse a result without a text.
  return texts.length < parts.length ? parts : texts.join("\n") || "(no output)";
}

function partOf(block: ContentBlock): OutputPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return binary(block.data, block.mimeType, "file");
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource;
      return blob === undefined
        ? { type: "text", text: text ?? uri }
        : binary(blob, mimeType ?? "application/octet-stream", uri);
    }
    case "resource_link": {
      // As text: a provider would download a link that a tool chose.
      const { name, uri, description } = block;
      return {
        type: "text",
        text: `${name}: ${uri}${description ? ` (${description})` : ""}`,
      };
    }
  }
}

/** With another type, a request would be rejected, and with it the whole run. */
function binary(base64: string, mediaType: string, uri: string): OutputPart {
  if (images.has(mediaType)) {
    return { type: "image", image: `data:${mediaType};base64,${base64}` };
  }
  if (mediaType === "application/pdf") {
    const filename = uri.split(/[/\\]/).at(-1) || "file";
    return { type: "file", file: { data: base64, mediaType, filename } };
  }
  return { type: "text", text: `[${mediaType}, not shown]` };
}

function waiting({ call, requests }: Interruption): string {
  const needs = requests.map((request) => {
    if (request.type === "approval") return `approval: ${displayProse(request.permission.summary)}`;
    if (request.type === "result") return "a result from the host";
    return `${request.type}: ${displayProse(request.message)}`;
  });
  const what = needs.join("; ");
  const next = isAnswerable(requests)
    ? "To have a person asked for it, make the very same call once more: it goes on where it stopped."
    : "Do not call it again; go on without its result and say what it waits for.";
  return `${call.name} is not finished: it waits for ${what.length > 500 ? `${what.slice(0, 500)}…` : what}. ${next}`;
}
