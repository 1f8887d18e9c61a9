import { FakeClock } from "@toolweave/test-support/fake-clock";
import { Artifacts } from "../../src/artifacts/artifacts.ts";
import { readArtifactTool } from "../../src/built-in/built-in-tools.ts";
import type {
  ContentBlock,
  JsonObject,
  LargeOutputs,
  Tool,
  ToolContext,
  ToolOutput,
} from "@toolweave/core";
import { memoryArtifacts, type ArtifactStore } from "@toolweave/core/stores";
import { utf8Length } from "../../src/text/utf8.ts";
import { checkedLargeOutputs } from "../../src/artifacts/large-outputs.ts";
import type { Behalf } from "../../src/contract/caller.ts";

/** Artifacts and the tool that reads them, without an executor. */
export class Shelf {
  readonly clock: FakeClock = new FakeClock();
  readonly store: ArtifactStore;
  readonly artifacts: Artifacts;
  readonly tool: Tool;

  constructor(maxOutputBytes = 50_000, store?: ArtifactStore, large: LargeOutputs = {}) {
    this.store = store ?? memoryArtifacts({ clock: this.clock });
    this.artifacts = new Artifacts(this.store, this.clock, 1000);
    const largeOutputs = checkedLargeOutputs(large);
    this.tool = readArtifactTool({ artifacts: this.artifacts, maxOutputBytes, largeOutputs });
  }

  /** Stores a value and returns its key. */
  async put(
    data: string | Uint8Array,
    mediaType = "text/plain",
    more: object = {},
  ): Promise<string> {
    return (await this.artifacts.write({}, data, { mediaType, ...more })).key;
  }

  /** The answer of `read_artifact`. */
  async read(args: JsonObject, behalf: Behalf = {}): Promise<readonly ContentBlock[]> {
    const output = await this.tool.invoke(args, behalf as unknown as ToolContext);
    return (output as ToolOutput).content;
  }

  /** The content of a page, and the note after it. */
  async page(args: JsonObject): Promise<{ text: string; note: string }> {
    const content = await this.read(args);
    const [text = "", note = ""] = content.map((block) =>
      block.type === "text" ? block.text : "",
    );
    return content.length === 1 ? { text: "", note: text } : { text, note };
  }
}

/** The offset of the next page, from a note. */
export function nextOffset(note: string): number | undefined {
  const digits = /"offset":(\d+)/.exec(note)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The bytes of all text in the content. */
export function textBytes(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + utf8Length(textIn(block)), 0);
}

function textIn(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource") return block.resource.uri + (block.resource.text ?? "");
  return block.type === "resource_link" ? block.uri + block.name : "";
}
