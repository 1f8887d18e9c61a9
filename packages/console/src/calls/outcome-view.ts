import type {
  ArtifactRef,
  ContentBlock,
  JsonValue,
  ToolExecutor,
  ToolOutcome,
} from "@toolweave/core";
import { base64ToBytes } from "@toolweave/core/adapter";
import { maxImageBytes, sniffDisplayedImage } from "../artifacts/displayed-image.ts";
import { toApproval, type Approval } from "../approvals/approval.ts";

/** The outcome of a call, as JSON. */
export interface OutcomeView {
  readonly status: ToolOutcome["status"];
  /** The tool ran, and its answer is no error. */
  readonly ok: boolean;
  /** With `completed` and `failed`. */
  readonly result?: {
    readonly isError: boolean;
    /** The content for the model; images, sounds and files without their data. */
    readonly content: readonly (ContentBlock | BinaryView)[];
    /** The structured result. */
    readonly value?: JsonValue;
    readonly artifacts: readonly ArtifactRef[];
    /** For the host, never for a model. */
    readonly details?: JsonValue;
    readonly childRunId?: string;
    /** The task in which the call continues. */
    readonly taskId?: string;
    /** Milliseconds from start to end; 0: it never started. */
    readonly durationMs: number;
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  };
  /** With `interrupted`: what the call waits for. */
  readonly approval?: Approval;
}

/** Binary content without its data. */
export interface BinaryView {
  readonly type: "image" | "audio" | "resource";
  readonly mediaType: string;
  /** The size of the data. */
  readonly bytes: number;
  readonly uri?: string;
  /** Of an image of at most 1 MiB whose bytes are those of PNG, JPEG, WebP, GIF or AVIF. */
  readonly dataUrl?: string;
}

/** Converts an outcome for a client. The executor has removed its secrets. */
export async function toOutcomeView(
  executor: ToolExecutor,
  outcome: ToolOutcome,
): Promise<OutcomeView> {
  const { status, ok } = outcome;
  if (outcome.status === "interrupted") {
    const record = { interruption: outcome.interruption, status: "pending" } as const;
    return { status, ok, approval: await toApproval(executor, record) };
  }
  const { isError, content, value, artifacts, details, childRunId, taskId, durationMs } =
    outcome.result;
  const { error } = outcome;
  return {
    status,
    ok,
    result: {
      isError,
      content: content.map(withoutData),
      ...(value === undefined ? {} : { value }),
      artifacts,
      ...(details === undefined ? {} : { details }),
      ...(childRunId === undefined ? {} : { childRunId }),
      ...(taskId === undefined ? {} : { taskId }),
      durationMs,
    },
    ...(error === undefined
      ? {}
      : { error: { code: error.code, message: error.message, retryable: error.retryable } }),
  };
}

function withoutData(block: ContentBlock): ContentBlock | BinaryView {
  if (block.type === "image" || block.type === "audio") {
    return toBinary(block.type, block.mimeType, block.data);
  }
  if (block.type !== "resource" || block.resource.blob === undefined) return block;
  const { uri, mimeType = "application/octet-stream", blob } = block.resource;
  return { ...toBinary("resource", mimeType, blob), uri };
}

function toBinary(type: BinaryView["type"], mediaType: string, data: string): BinaryView {
  // Content of a server that is not base64 has no data.
  const bytes = base64ToBytes(data) ?? new Uint8Array();
  const image = bytes.length > maxImageBytes ? undefined : sniffDisplayedImage(bytes);
  return {
    type,
    mediaType,
    bytes: bytes.length,
    ...(image !== undefined ? { dataUrl: `data:${image};base64,${data}` } : {}),
  };
}
