import type { ModelMessage } from "ai";

/**
 * True when the SDK is about to execute a call because a person has approved it: the last message
 * answers the call's approval request, and holds no result of it. This is how the SDK itself
 * decides; at any other time it is asking about a call that the model has just made.
 */
export function isApproved(messages: readonly ModelMessage[], callId: string): boolean {
  const last = messages.at(-1);
  if (last?.role !== "tool") return false;
  const approved = new Set<string>();
  for (const part of last.content) {
    if (part.type === "tool-result" && part.toolCallId === callId) return false;
    if (part.type === "tool-approval-response" && part.approved) approved.add(part.approvalId);
  }
  return (
    approved.size > 0 &&
    messages.some(
      ({ role, content }) =>
        role === "assistant" &&
        typeof content !== "string" &&
        content.some(
          (part) =>
            part.type === "tool-approval-request" &&
            part.toolCallId === callId &&
            approved.has(part.approvalId),
        ),
    )
  );
}
