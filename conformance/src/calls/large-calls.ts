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
import { overrideTool, createExecutor } from "../execution/run-sample.ts";

/** The limit of an output, so low that large outputs are stored. */
const maxOutputBytes = 1000;

/** The maximum number of bytes that an executor reads of one output. */
const maxCapturedBytes = 32 * 2 ** 20;

/** Creates an executor that stores large outputs, whatever limit a tool declares. */
export function createStoringExecutor(
  tools: readonly Tool[],
  { largeOutputs, ...options }: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  return createExecutor(tools.map(removeOutputLimit), {
    maxOutputBytes,
    largeOutputs: { previewBytes: 200, maxMediaBytes: 0, ...largeOutputs },
    ...options,
  });
}

/** Creates an executor that returns outputs completely. */
export function createInlineExecutor(tools: readonly Tool[]): ToolExecutor {
  return createExecutor(tools.map(removeOutputLimit), {
    maxOutputBytes: maxCapturedBytes,
    largeOutputs: { onOverflow: "clip", maxMediaBytes: maxCapturedBytes },
  });
}

/** The number of bytes that a call has to return: at most as many as an executor reads. */
export function expectedBytes({ bytes }: LargeCall): number {
  return Math.min(bytes, maxCapturedBytes);
}

/** The number of bytes of a result: its content and artifacts, or its value. */
export function countResultBytes({ content, artifacts, value }: ToolResult): number {
  const displayed = content.reduce((sum, block) => sum + countBlockBytes(block), 0);
  const stored = artifacts.reduce((sum, { size }) => sum + size, 0);
  const structured = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  return Math.max(displayed + stored, structured);
}

/** A tool that reads artifacts for the kit, with what it has read. */
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

  /** @returns `undefined` if the artifact is missing. */
  async read(
    context: CheckContext,
    executor: ToolExecutor,
    { key }: ArtifactRef,
  ): Promise<Uint8Array | undefined> {
    this.#bytes = undefined;
    const call = { id: "conformance", name: ArtifactProbe.#name, arguments: { key } };
    await context.withDeadline(executor.execute(call), `reading ${key}`);
    return this.#bytes;
  }
}

/**
 * Removes the output limit of a tool, which may clip or refuse a large output, so that the complete
 * output is checked.
 */
function removeOutputLimit(tool: Tool): Tool {
  if (tool.spec.outputLimit === undefined) return tool;
  const { outputLimit: _, ...spec } = tool.spec;
  return overrideTool(tool, { spec });
}

function countBlockBytes(block: ContentBlock): number {
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
