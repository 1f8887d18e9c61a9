import type { CallState } from "../call/call-state.ts";
import { StreamBuffer } from "../../results/captured.ts";
import { readStream, isStreamed, streamSource } from "../../results/stream-source.ts";
import type { ArtifactData, ArtifactWriter, StoredContent } from "../../contract/tool.ts";
import type { ArtifactRef } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** The artifacts that a running tool may write and read: those of the session and caller that it runs for. */
export class ToolArtifacts implements ArtifactWriter {
  readonly #execution: CallState;
  readonly #isLive: () => boolean;

  constructor(execution: CallState, isLive: () => boolean) {
    this.#execution = execution;
    this.#isLive = isLive;
  }

  async write(
    data: ArtifactData,
    options: { readonly mediaType: string; readonly name?: string },
  ): Promise<ArtifactRef> {
    this.#check();
    if (typeof options?.mediaType !== "string") {
      throw misuse(`needs a media type: { mediaType: "text/plain" }`);
    }
    const { mediaType, name } = options;
    const { engine, run } = this.#execution;
    const captured = await this.#capture(data);
    this.#check();
    const whole = captured.take();
    if (typeof whole !== "string" && !(whole instanceof Uint8Array)) {
      throw misuse("takes text, bytes or a stream of them; make JSON with JSON.stringify");
    }
    const redactor = this.#execution.redactor;
    const clean =
      typeof whole === "string"
        ? (redactor?.text(whole) ?? whole)
        : (redactor?.bytes(whole, mediaType) ?? whole);
    const { truncated } = captured;
    const displayName = typeof name === "string" ? (redactor?.text(name) ?? name) : undefined;
    return engine.artifacts.write(run, clean, { mediaType, name: displayName, truncated });
  }

  async read(key: string): Promise<StoredContent> {
    this.#check();
    const { engine, run } = this.#execution;
    const ref = await engine.artifacts.head(run, key);
    const bytes = async (): Promise<Uint8Array> => {
      this.#check();
      return engine.artifacts.read(ref);
    };
    return { ref, bytes, text: async () => new TextDecoder().decode(await bytes()) };
  }

  /** Copies the data, so that it cannot change while it is stored; at most `maxCapturedBytes`. */
  async #capture(data: ArtifactData): Promise<StreamBuffer> {
    const captured = new StreamBuffer(this.#execution.engine.largeOutputs.maxCapturedBytes);
    if (!isStreamed(data)) {
      captured.add(data);
      return captured;
    }
    const { signal } = this.#execution;
    const source = streamSource(data);
    const cancel = (): void => source.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const broke = await readStream(source, captured, signal);
    signal.removeEventListener("abort", cancel);
    if (broke !== undefined || captured.truncated) cancel();
    if (broke !== undefined) throw broke.thrown;
    return captured;
  }

  #check(): void {
    if (this.#isLive()) return;
    throw new ToolError("cancelled", "The attempt that this belongs to has ended.");
  }
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `ctx.artifacts.write ${what}.`);
}
