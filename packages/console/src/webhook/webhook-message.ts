import { displayJson, displayLine, displayProse, type Interruption } from "@toolweave/core";

/** The body of `approval.requested`: a call waits for a person. */
export interface ApprovalRequestedMessage {
  readonly type: "approval.requested";
  /** When the call began to wait: RFC 3339, UTC. */
  readonly timestamp: string;
  readonly data: {
    /** The id of the approval, as `GET /api/approvals/{id}` takes it. */
    readonly id: string;
    /** One line for a chat: the tool, and the action that the call intends. At most 300 characters. */
    readonly title: string;
    readonly tool: string;
    /** The actions that the call intends, and other requests; 20 at most. */
    readonly requests: readonly WebhookRequest[];
    /**
     * The arguments as JSON for a person: secrets are masked, invisible characters are escaped, and at most 4,000
     * characters are present.
     */
    readonly arguments: string;
    /** The arguments were longer. */
    readonly truncated?: true;
    /** When the approval expires: RFC 3339, UTC. */
    readonly expiresAt: string;
    /** The page of the approval, if the host has set `approvalUrl`. */
    readonly url?: string;
  };
}

/** One request of a call in a message. */
export interface WebhookRequest {
  readonly type: "approval" | "auth" | "input" | "result";
  /** One line for a person, at most 500 characters. */
  readonly summary: string;
  /** Why the policy asks; only for the type `approval`. */
  readonly reason?: string;
}

/** The body of `approval.answered`: a person has answered, and the call is resumed. */
export interface ApprovalAnsweredMessage {
  readonly type: "approval.answered";
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly data: {
    /** The id of the approval. */
    readonly id: string;
    readonly tool: string;
    /** The person who answered. Absent: the answer has no name. */
    readonly by?: string;
    /** As in `approval.requested`. */
    readonly url?: string;
  };
}

/** The body of a webhook. */
export type WebhookMessage = ApprovalRequestedMessage | ApprovalAnsweredMessage;

const maxTitle = 300;
const maxSummary = 500;
const maxArguments = 4_000;
const maxRequests = 20;

/** Creates the message of a call that waits. */
export function requestedMessage(
  { id, call, requests, expiresAt }: Interruption,
  time: number,
  url: string | undefined,
): ApprovalRequestedMessage {
  const json = displayJson(JSON.stringify(call.arguments) ?? "{}");
  const described = requests.slice(0, maxRequests).map(describe);
  const intents = described.map(({ summary }) => summary).join("; ");
  return {
    type: "approval.requested",
    timestamp: toTimestamp(time),
    data: {
      id,
      title: displayProse(`${call.name}: ${intents}`, maxTitle),
      tool: displayLine(call.name),
      requests: described,
      arguments: json.slice(0, maxArguments),
      ...(json.length > maxArguments ? { truncated: true } : {}),
      expiresAt: toTimestamp(expiresAt),
      ...(url === undefined ? {} : { url }),
    },
  };
}

function describe(request: Interruption["requests"][number]): WebhookRequest {
  const { type } = request;
  switch (type) {
    case "approval": {
      const { permission, reason } = request;
      const summary = displayProse(permission.summary, maxSummary);
      return { type, summary, reason: displayProse(reason, maxSummary) };
    }
    case "auth":
      // Neither the address nor the code: both belong to the session of one person.
      return { type, summary: displayProse(request.message, maxSummary) };
    case "input":
      return { type, summary: displayProse(request.message, maxSummary) };
    case "result":
      return { type, summary: "The host must supply the result." };
  }
}

/** Creates the message of a call that was answered. */
export function answeredMessage(
  data: { readonly id: string; readonly tool: string; readonly by?: string | undefined },
  time: number,
  url: string | undefined,
): ApprovalAnsweredMessage {
  const { id, tool, by } = data;
  return {
    type: "approval.answered",
    timestamp: toTimestamp(time),
    data: {
      id,
      tool: displayLine(tool),
      ...(by === undefined ? {} : { by: displayProse(by, maxSummary) }),
      ...(url === undefined ? {} : { url }),
    },
  };
}

function toTimestamp(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
