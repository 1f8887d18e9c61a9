import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from "@openai/agents-core";
import type { ToolOutcome } from "@toolweave/core";
import {
  fileName,
  imageTypes,
  modelContent,
  waitingText,
  type ContentFile,
} from "@toolweave/core/integration";
import { isAnswerable } from "./decisions.ts";

/** The result of a call for the SDK: one text, or parts when it is more than text. */
export type AgentToolOutput = string | OutputPart[];

type OutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

/**
 * The result's bounded content; for a pending call, what it waits for. A failure is a text, too. Never a value of the
 * tool's own: the SDK would take what looks like a part for one, links included.
 */
export function toAgentOutput(outcome: ToolOutcome): AgentToolOutput {
  if (outcome.status !== "interrupted") return modelContent(outcome.result.content, toFilePart);
  const { interruption } = outcome;
  return isAnswerable(interruption.requests)
    ? waitingText(
        interruption,
        "To request it from a person, make the very same call once more: it resumes where it stopped.",
      )
    : waitingText(interruption);
}

/** With another type, a request would be rejected, and with it the whole run. */
function toFilePart(file: ContentFile): OutputPart | undefined {
  const { mediaType, data } = file;
  if (imageTypes.has(mediaType)) {
    return { type: "image", image: `data:${mediaType};base64,${data}` };
  }
  if (mediaType !== "application/pdf") return undefined;
  return { type: "file", file: { data, mediaType, filename: fileName(file) ?? "file" } };
}
