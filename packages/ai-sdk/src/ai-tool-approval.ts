import type { ModelMessage, ToolSet } from "ai";
import { displayProse, type Interruption } from "@toolweave/core";
import type { CallGate, FrameworkCall } from "@toolweave/core/integration";
import type { ToolInput } from "@toolweave/providers";
import {
  resolveApproval,
  ownProperty,
  toolApprovalCheck,
  type AiApprovalStatus,
  type AiToolApproval,
} from "./source/resolve-approval.ts";

/** A tool that `aiTools` has made. */
export interface GatedTool {
  /** Admits its calls. */
  readonly gate: CallGate;
  readonly input: ToolInput;
}

/** The tools that `aiTools` has made, by the SDK's tool. */
export const gatedTools: WeakMap<object, GatedTool> = new WeakMap();

/** A call as the SDK asks about it. */
export interface AiApprovalQuestion {
  readonly toolCall: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  };
  readonly tools: object | undefined;
  readonly toolsContext: object;
  readonly messages: ModelMessage[];
  readonly runtimeContext: object;
}

/** The SDK's `toolApproval` as one function for all tools. */
export type AiToolApprovalFunction = (question: AiApprovalQuestion) => Promise<AiApprovalStatus>;

/**
 * Creates the `toolApproval` of `generateText` and `streamText` of AI SDK 7, for tools of `aiTools` and others in one object. The
 * tools of `aiTools` ask without it, too; with it the approval request says what the call intends and why the policy
 * asks (`reason`), and your own tools keep their own approval settings.
 *
 * @param others the `toolApproval` of your own tools. It is not called for tools of `aiTools`, and cannot loosen their
 * policy.
 * @example
 * ```ts
 * await generateText({ model, messages, tools, toolApproval: aiToolApproval({ draw: "user-approval" }) });
 * ```
 */
export function aiToolApproval(others?: AiToolApproval): AiToolApprovalFunction {
  if (others !== undefined) toolApprovalCheck.check("aiToolApproval: others", others);
  return async ({ toolCall, tools, toolsContext, messages, runtimeContext }) => {
    const { toolCallId: id, toolName, input } = toolCall;
    const set = (tools ?? {}) as ToolSet;
    const tool = ownProperty(set, toolName);
    if (tool === undefined) return undefined;
    const gated = gatedTools.get(tool);
    if (gated !== undefined) {
      const request = await requestApproval(gated, { id, name: toolName, input }, messages);
      return request === undefined ? undefined : { type: "user-approval", ...request };
    }
    const contexts = { ...toolsContext };
    const approval = resolveApproval({
      tool,
      set,
      original: toolName,
      context: ownProperty<unknown>(contexts, toolName),
      toolApproval: others,
      toolsContext: contexts,
    });
    if (typeof approval !== "function") return approval;
    return approval({ id, input, messages, runtimeContext: { ...runtimeContext } });
  };
}

/**
 * Requests the approval that a call of a model needs before it may be executed; `undefined`: none. `reason` is the intention of the
 * call, and why the policy asks; absent: it has been given before.
 */
export async function requestApproval(
  { gate, input }: GatedTool,
  call: FrameworkCall,
  messages: readonly ModelMessage[],
): Promise<{ readonly reason?: string } | undefined> {
  // The SDK asks once more about what a person has answered. Messages come from outside: a call
  // that first appears here, approval and all, must not become pending, or it would run.
  if (isApproved(messages, call.id)) return {};
  const interruption = await gate.requestApproval({ ...call, input: input.restore(call.input) });
  return interruption && { reason: approvalReason(interruption) };
}

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

function approvalReason({ requests }: Interruption): string {
  const reasons = requests.map((request) =>
    request.type === "approval"
      ? `${displayProse(request.permission.summary)} (${displayProse(request.reason)})`
      : request.type,
  );
  return reasons.join("; ");
}
