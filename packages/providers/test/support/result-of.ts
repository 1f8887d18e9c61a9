import type { ContentBlock, ToolResult } from "@toolweave/core";

/** A result of the call `call_1` of `do_it`. */
export function getResult(
  content: readonly ContentBlock[],
  more: Partial<ToolResult> = {},
): ToolResult {
  return {
    callId: "call_1",
    toolName: "do_it",
    content,
    artifacts: [],
    isError: false,
    durationMs: 1,
    timestamp: 0,
    ...more,
  };
}

export const png: ContentBlock = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
export const wav: ContentBlock = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
export const pdf: ContentBlock = {
  type: "resource",
  resource: { uri: "file:///out/report.pdf", mimeType: "application/pdf", blob: "JVBERi0=" },
};
export const link: ContentBlock = {
  type: "resource_link",
  uri: "https://example.org/a",
  name: "a",
};
