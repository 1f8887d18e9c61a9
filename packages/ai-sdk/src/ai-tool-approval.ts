import type { ModelMessage, ToolApprovalStatus, ToolSet } from "ai";
import { gates } from "./gates.ts";
import { approvalOf, type AiToolApproval } from "./source/approval-of.ts";
import { own } from "./source/own.ts";

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
export type AiToolApprovalFunction = (question: AiApprovalQuestion) => Promise<ToolApprovalStatus>;

/**
 * Creates the `toolApproval` of `generateText` and `streamText`, for tools of `aiTools` and others in one object. The
 * tools of `aiTools` ask without it, too; with it the approval request says what the call intends and why the policy
 * asks (`reason`), and your own tools keep their own approval settings.
 *
 * @param others the `toolApproval` of your own tools. It is not called for tools of `aiTools`, and cannot loosen their
 * policy.
 * @example
 * ```js
 * await generateText({ model, messages, tools, toolApproval: aiToolApproval({ draw: "user-approval" }) });
 * ```
 */
export function aiToolApproval(others?: AiToolApproval): AiToolApprovalFunction {
  return async ({ toolCall, tools, toolsContext, messages, runtimeContext }) => {
    const { toolCallId: id, toolName, input } = toolCall;
    const set = (tools ?? {}) as ToolSet;
    const tool = own(set, toolName);
    if (tool === undefined) return undefined;
    const gate = gates.get(tool);
    if (gate !== undefined) {
      const question = await gate.asks({ id, name: toolName, input, messages });
      return question === undefined ? undefined : { type: "user-approval", ...question };
    }
    const contexts = { ...toolsContext };
    const approval = approvalOf({
      tool,
      set,
      original: toolName,
      context: own<unknown>(contexts, toolName),
      toolApproval: others,
      toolsContext: contexts,
    });
    if (typeof approval !== "function") return approval;
    return approval({ id, input, messages, runtimeContext: { ...runtimeContext } });
  };
}
