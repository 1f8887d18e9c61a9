import type {
  ArtifactRef,
  ContentBlock,
  ExecutorOptions,
  Tool,
  ToolExecutor,
  ToolResult,
} from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import type { LargeCall } from "../contract/manifest.ts";
import { around, executorOver } from "../execution/sample-run.ts";

/** So little of an output is shown that what is large is stored. */
const shownBytes = 1000;

/** Bytes that an executor takes of one output at all; of what is larger the rest is lost. */
const capturedBytes = 32 * 2 ** 20;

/** An executor that shows little and stores the rest, whatever a tool wants for itself. */
export function storingExecutor(
  tools: readonly Tool[],
  { largeOutputs, ...options }: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  return executorOver(tools.map(withoutLimit), {
    maxOutputBytes: shownBytes,
    largeOutputs: { previewBytes: 200, maxMediaBytes: 0, ...largeOutputs },
    ...options,
  });
}

/** An executor that shows all of it. */
export function showingExecutor(tools: readonly Tool[]): ToolExecutor {
  return executorOver(tools.map(withoutLimit), {
    maxOutputBytes: capturedBytes,
    largeOutputs: { onOverflow: "clip", maxMediaBytes: capturedBytes },
  });
}

/** The bytes that a call has to give: no more than an executor takes at all. */
export function promisedBytes({ bytes }: LargeCall): number {
  return Math.min(bytes, capturedBytes);
}

/** The bytes of all that a result holds: what is shown, what is stored, what is the host's. */
export function wholeBytes({ content, artifacts, value }: ToolResult): number {
  const shown = content.reduce((sum, block) => sum + blockBytes(block), 0);
  const stored = artifacts.reduce((sum, { size }) => sum + size, 0);
  const structured = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  return Math.max(shown + stored, structured);
}

/** A tool that reads artifacts for the kit, and what it has read. */
export class ArtifactProbe {
  static readonly #name = "toolweave_conformance_probe";
  readonly tool: Tool;
  #bytes: Uint8Array | undefined;

  constructor() {
    this.tool = {
      spec: {
        name: ArtifactProbe.#name,
        description: "Reads an artifact for the conformance kit.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        provenance: { adapter: "conformance" },
      },
      invoke: async ({ key }, { artifacts }) => {
        this.#bytes = await (await artifacts.read(String(key))).bytes();
      },
    };
  }

  /** @returns `undefined` when it is not there. */
  async read(
    context: CheckContext,
    executor: ToolExecutor,
    { key }: ArtifactRef,
  ): Promise<Uint8Array | undefined> {
    this.#bytes = undefined;
    const call = { id: "conformance", name: ArtifactProbe.#name, arguments: { key } };
    await context.within(executor.execute(call), `reading ${key}`);
    return this.#bytes;
  }
}

/** A tool may clip its output, or fail, rather than have it stored: here all of it is looked at. */
function withoutLimit(tool: Tool): Tool {
  if (tool.spec.outputLimit === undefined) return tool;
  const { outputLimit: _, ...spec } = tool.spec;
  return around(tool, { spec });
}

function blockBytes(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return Buffer.byteLength(block.text);
    case "image":
    case "audio":
      return Buffer.byteLength(block.data, "base64");
    case "resource":
      return block.resource.text === undefined
        ? Buffer.byteLength(block.resource.blob ?? "", "base64")
        : Buffer.byteLength(block.resource.text);
    default:
      return 0;
  }
}
