import type { ModelMessage, ToolSet } from "ai";
import { checks, isObject, type OptionCheck } from "@toolweave/core/adapter";

/** The check of a `toolApproval`. */
export const toolApprovalCheck: OptionCheck = checks.valueThat(
  (value) => typeof value === "function" || isObject(value),
  "statuses by tool, or a function",
);

// The types of approvals are written here, because versions 5 and 6 of the SDK do not have them.

/** The decision about a call, as in the SDK's `toolApproval`; `undefined`: none is needed. */
export type AiApprovalStatus =
  | undefined
  | "not-applicable"
  | "approved"
  | "denied"
  | "user-approval"
  | { readonly type: "not-applicable"; readonly reason?: never }
  | { readonly type: "approved" | "denied" | "user-approval"; readonly reason?: string };

// Methods, so that a function may declare the exact types of its tools.
interface ApprovalFunctions {
  ofOneTool(
    input: unknown,
    options: {
      readonly toolCallId: string;
      readonly messages: ModelMessage[];
      readonly toolContext: unknown;
      readonly runtimeContext: Record<string, unknown>;
    },
  ): AiApprovalStatus | PromiseLike<AiApprovalStatus>;
  ofAllTools(question: {
    readonly toolCall: {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
    };
    readonly tools: ToolSet | undefined;
    readonly toolsContext: Record<string, unknown>;
    readonly messages: ModelMessage[];
    readonly runtimeContext: Record<string, unknown>;
  }): AiApprovalStatus | PromiseLike<AiApprovalStatus>;
}

/** The SDK's `toolApproval`, for tools of any kind: one function for all calls, or a status or function by tool. */
export type AiToolApproval =
  | ApprovalFunctions["ofAllTools"]
  | { readonly [name: string]: AiApprovalStatus | ApprovalFunctions["ofOneTool"] };

/** A tool, and the data by which the SDK decides whether a call of it needs approval. */
export interface Approvable {
  readonly tool: ToolSet[string];
  readonly set: ToolSet;
  /** Its name in the SDK. */
  readonly original: string;
  readonly context: unknown;
  readonly toolApproval: AiToolApproval | undefined;
  readonly toolsContext: Readonly<Record<string, unknown>>;
}

/** A call whose arguments are valid. */
interface ApprovableCall {
  readonly id: string;
  /** The arguments as the tool gets them. */
  readonly input: unknown;
  /** Outside of the SDK's loop there are none. */
  readonly messages: ModelMessage[];
  readonly runtimeContext: Record<string, unknown>;
}

/** A status that is the same for each call, or what finds one. */
export type ToolApproval = AiApprovalStatus | ((call: ApprovableCall) => Promise<AiApprovalStatus>);

/** The approval that `generateText` would require for a tool's calls: the host's setting first, then the tool's own. */
export function resolveApproval(approvable: Approvable): ToolApproval {
  const { tool, set: tools, original: toolName, context, toolApproval, toolsContext } = approvable;
  const toolContext = context as never;
  if (typeof toolApproval === "function") {
    return async ({ id, input, messages, runtimeContext }) => {
      const call = { type: "tool-call", toolCallId: id, toolName, input, dynamic: true } as const;
      return toolApproval({
        toolCall: call,
        tools,
        toolsContext: { ...toolsContext },
        messages,
        runtimeContext,
      });
    };
  }
  const given = ownProperty(toolApproval ?? {}, toolName);
  if (typeof given === "function") {
    return async ({ id: toolCallId, input, messages, runtimeContext }) =>
      given(input as never, { toolCallId, messages, toolContext, runtimeContext });
  }
  if (given !== undefined && given !== null) return given;
  const { needsApproval } = tool;
  if (typeof needsApproval !== "function") {
    return needsApproval === true ? "user-approval" : undefined;
  }
  return async ({ id: toolCallId, input, messages }) => {
    const needs = await needsApproval(input as never, {
      toolCallId,
      messages,
      context: toolContext,
      // Its name before version 7.
      ...({ experimental_context: context } as object),
    });
    return needs ? "user-approval" : undefined;
  };
}

/** Reads an own property of a record: names come from outside, and `constructor` is inherited. */
export function ownProperty<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
