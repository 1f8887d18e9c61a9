import type { ToolDetails } from "../contract/contract.ts";
import { queryValue } from "../navigation/location.ts";

/** The arguments that a person is typing, by tool: as text, whether it is JSON yet or not. */
const drafts = new Map<string, string>();

/** The draft of a tool: what the person has typed, the arguments in the address, or an empty object. */
export function readDraft({ spec }: ToolDetails): string {
  return drafts.get(spec.name) ?? (queryValue("arguments") || "{}");
}

/** Keeps a draft while the page is open. */
export function storeDraft(name: string, text: string): void {
  drafts.set(name, text);
}

/** The result of reading a draft: the text of a JSON object, or why it is none. */
export type ParsedDraft =
  | { readonly json: string; readonly problem?: undefined }
  | { readonly problem: string; readonly json?: undefined };

/** Reads a draft. The text itself is sent, so that numbers keep their digits. */
export function parseDraft(text: string): ParsedDraft {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return { problem: "The arguments must be an object, such as {}." };
    }
    return { json: text };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "This is no JSON." };
  }
}
