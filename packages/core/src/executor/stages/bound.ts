import type { Awaitable } from "../../json/json.ts";
import { isAtLeastZero } from "../../contract/check-options.ts";
import { text, type ContentBlock } from "../../contract/content-block.ts";
import type { ArtifactRef, ToolOutput } from "../../contract/tool-result.ts";
import {
  mediaSize,
  textSize,
  clipContent,
  isBinary,
  maxBlocks,
  type ContentLimits,
} from "../../artifacts/clip-content.ts";
import { lateStore, maxStoreMs } from "../../artifacts/artifacts.ts";
import { isOverflowStrategy } from "../../artifacts/large-outputs.ts";
import type { OutputLimit, OverflowStrategy } from "../../contract/tool-spec.ts";
import {
  pointer,
  pointerBytes,
  divideContent,
  contentForModel,
  type Part,
} from "../../artifacts/stored-content.ts";
import { frameBytes } from "../call/framed-content.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import type { CallState } from "../call/call-state.ts";
import { answerWithin } from "../../contract/call-info.ts";

/**
 * Stage 10, last part: limits the content for the model, and adds a note about the rest. The rest is stored, dropped or
 * an error, as the tool or the host configures.
 */
export function bound(execution: CallState, output: ToolOutput): Awaitable<ToolOutput> {
  const { content, artifacts } = output;
  const bytes = getOutputLimit(execution);
  const [only] = content;
  // The usual case is one short text, whose bytes need not be counted.
  if (content.length === 1 && only?.type === "text" && only.text.length * 3 <= bytes) {
    if (artifacts === undefined && !execution.truncated) return output;
  }
  const limits = {
    bytes,
    mediaBytes: execution.engine.largeOutputs.maxMediaBytes,
    binary: execution.run.inlineBinary || overflowStrategy(execution) !== "store",
  };
  const whole = execution.truncated ? withCutNote(output) : output;
  return artifacts === undefined || (Array.isArray(artifacts) && artifacts.length === 0)
    ? boundContent(execution, whole, limits)
    : withOwnArtifacts(execution, whole, limits);
}

function boundContent(
  execution: CallState,
  output: ToolOutput,
  limits: ContentLimits,
): Awaitable<ToolOutput> {
  const over = overflowStrategy(execution);
  const { content } = output;
  if (isWithin(content, limits)) return output;
  if (over === "store") return store(execution, output, limits);
  if (over === "fail") throw tooLarge(execution, content, limits);
  return { ...output, content: clipContent(content, limits) };
}

/** Never rejects: if the store fails, only content is lost that could not be shown anyway. */
async function store(
  execution: CallState,
  output: ToolOutput,
  limits: ContentLimits,
): Promise<ToolOutput> {
  const { engine } = execution;
  const live = execution.guard();
  const refs: ArtifactRef[] = [];
  let content: ContentBlock[] | undefined;
  try {
    const parts = divideContent(output.content, limits, output.value);
    await inTime(execution, storeParts(execution, parts, refs));
    content = contentForModel(parts, refs, limits.bytes, engine.largeOutputs.previewBytes);
  } catch (error) {
    emitFailed(live(execution), error);
  }
  if (content === undefined || !isWithin(content, limits)) {
    const advice = `${content === undefined ? "the rest could not be kept; " : ""}ask for less`;
    content = clipContent(output.content, limits, advice);
  }
  return { ...output, content, artifacts: [...(output.artifacts ?? []), ...refs] };
}

async function storeParts(
  execution: CallState,
  parts: readonly Part[],
  refs: ArtifactRef[],
): Promise<void> {
  const { engine, run, truncated } = execution;
  const live = execution.guard();
  for (const part of parts) {
    if (part.type !== "stored") continue;
    const { data, mediaType, name } = part.storable;
    const about = { mediaType, name, truncated, withinMs: Infinity };
    refs.push(live(await engine.artifacts.write(run, data, about)));
  }
}

/** Limits the time of the store, also to half of the call's remaining time: the output must not miss the deadline. */
function inTime<T>(execution: CallState, pending: Promise<T>): Promise<T> {
  const left = ((execution.time?.endsAt ?? Infinity) - execution.engine.clock.now()) / 2;
  const ms = Math.max(1, Math.min(maxStoreMs, left));
  return answerWithin(execution, ms, pending, () => lateStore(ms));
}

/** Keeps only those artifacts of the output that its session and caller own. */
async function withOwnArtifacts(
  execution: CallState,
  output: ToolOutput,
  limits: ContentLimits,
): Promise<ToolOutput> {
  const live = execution.guard();
  const artifacts = new Map<string, ArtifactRef>();
  try {
    live(await inTime(execution, findOwn(execution, output, artifacts)));
  } catch (error) {
    emitFailed(live(execution), error);
  }
  const refs = [...artifacts.values()];
  const unnamed = refs.filter(({ key }) => !isNamed(output.content, key));
  const notes = unnamed.map((ref) => text(pointer(ref, pointerBytes)));
  const content = notes.length === 0 ? output.content : [...output.content, ...notes];
  return boundContent(execution, { ...output, content, artifacts: refs }, limits);
}

async function findOwn(
  { engine, run }: CallState,
  { artifacts = [] }: ToolOutput,
  found: Map<string, ArtifactRef>,
): Promise<void> {
  for (const given of artifacts.slice(0, maxArtifacts)) {
    const ref = await engine.artifacts.head(run, given?.key, Infinity).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (ref !== undefined) found.set(ref.key, ref);
  }
}

/** Maximum number of artifacts that a tool returns itself. */
const maxArtifacts = 100;

function isMissing(error: unknown): boolean {
  return ToolError.is(error) && error.code === "artifact_missing";
}

function isNamed(content: readonly ContentBlock[], key: string): boolean {
  return content.some((block) => block.type === "text" && block.text.includes(key));
}

function emitFailed(execution: CallState, error: unknown): void {
  const cause = ToolError.is(error) && error.cause !== undefined ? error.cause : error;
  const message = toErrorMessage(cause);
  execution.engine.events.emitCall(execution, {
    type: "store.failed",
    store: "artifacts",
    message,
  });
}

function tooLarge(
  { call }: CallState,
  content: readonly ContentBlock[],
  { bytes }: ContentLimits,
): ToolError {
  const size = content.reduce((sum, block) => sum + textSize(block) + mediaSize(block), 0);
  return new ToolError(
    "limit_exceeded",
    `${call.name} answered with ${size} bytes, which is more than may be shown (${bytes}). The call did run: do not repeat it before checking what it did, and ask for less.`,
  );
}

/** Adds a note to an output that is longer than `maxCapturedBytes`, however it is shown. */
function withCutNote(output: ToolOutput): ToolOutput {
  const note = text("[the output was longer than what is captured: the rest is lost]");
  return { ...output, content: [...output.content, note] };
}

/** Maximum bytes of text for the model: the tool's own limit, which only a trusted source may raise. */
function getOutputLimit({ engine, entry, tool }: CallState): number {
  const { outputLimit } = tool.spec;
  return outputLimit === undefined ? engine.maxOutputBytes : ownLimit(outputLimit, engine, entry);
}

function ownLimit(
  { maxBytes: own }: OutputLimit,
  engine: CallState["engine"],
  entry: CallState["entry"],
): number {
  if (!isAtLeastZero(own)) return engine.maxOutputBytes;
  const most =
    entry?.trusted === true ? engine.largeOutputs.maxCapturedBytes : engine.maxOutputBytes;
  return Math.min(engine.frameOutputs ? Math.max(0, own - frameBytes) : own, most);
}

function overflowStrategy({ engine, tool }: CallState): OverflowStrategy {
  const own = tool.spec.outputLimit?.onOverflow;
  return isOverflowStrategy(own) ? own : engine.largeOutputs.onOverflow;
}

function isWithin(
  content: readonly ContentBlock[],
  { bytes, mediaBytes, binary }: ContentLimits,
): boolean {
  let left = bytes;
  let mediaLeft = mediaBytes;
  for (const block of content) {
    if (!binary && isBinary(block)) return false;
    left -= textSize(block);
    mediaLeft -= mediaSize(block);
  }
  return left >= 0 && mediaLeft >= 0 && content.length <= maxBlocks;
}
