import type { Agent } from "@mastra/core/agent";

type Stream = Awaited<ReturnType<Agent["stream"]>>;

/** The contents of an agent's stream for the host. */
export interface StreamContents {
  readonly runId: string;
  readonly finishReason: string | undefined;
  readonly text: string;
  /** The calls that were displayed for approval, as `id name arguments`. */
  readonly approvals: string[];
  /** The payloads of the parts of a type. */
  of(type: string): Record<string, unknown>[];
}

/** Reads a stream to its end. */
export async function readStream(stream: Stream | Promise<Stream>): Promise<StreamContents> {
  const output = await stream;
  const chunks: { readonly type: string; readonly payload?: unknown }[] = [];
  for await (const chunk of output.fullStream) chunks.push(chunk);
  const of = (type: string): Record<string, unknown>[] =>
    chunks.flatMap((chunk) =>
      chunk.type === type ? [chunk.payload as Record<string, unknown>] : [],
    );
  const approvals = of("tool-call-approval").map(
    ({ toolCallId, toolName, args }) =>
      `${String(toolCallId)} ${String(toolName)} ${JSON.stringify(args)}`,
  );
  const { runId } = output;
  return { runId, finishReason: await output.finishReason, text: await output.text, approvals, of };
}
