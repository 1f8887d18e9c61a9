import {
  ToolError,
  type CompletedOutcome,
  type Interruption,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import type { CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { describeRequests, truncateText } from "../../render/describe-requests.ts";
import { formatRemedy, type ToolPlaces } from "../../render/remedy.ts";
import { colorJson, formatJson } from "../../render/json.ts";
import { formatDuration, safeJson, safeLine, safeText, safeValue } from "../../render/text.ts";
import { renderResult, saveFile, toFileBytes } from "./save-result.ts";
import type { CommandStore } from "../../store/command-store.ts";
import { pendingCallHints, storeCommand, waitsForApprovalOnly } from "./hints.ts";

/** The output options of a command that runs a call. */
export interface ReportOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** The file that gets the answer. */
  readonly output?: string;
}

/** The outcome of a call that is not pending. */
type EndedOutcome = Exclude<ToolOutcome, { readonly status: "interrupted" }>;

/** The streams and the store of a command. */
export interface CommandPlace {
  readonly io: CliIo;
  readonly output: Output;
  readonly store: CommandStore;
  /** Where the person writes what changes a decision about the tool. Default: unknown. */
  readonly places?: ToolPlaces;
}

/** Prints the outcome of a call: its result on stdout, everything else on stderr. */
export async function printOutcome(
  outcome: ToolOutcome,
  { json, verbose = false, output: file }: ReportOptions,
  { io, output, store, places }: CommandPlace,
): Promise<void> {
  const isSaved =
    file !== undefined && outcome.status === "completed" && (await save(outcome, file, output));
  if (json === true) {
    const next = outcome.status === "interrupted" && {
      next: pendingCallHints(outcome.interruption, store, io.env),
    };
    await output.write(formatJson({ ...outcome, ...next }, output));
  }
  if (outcome.status === "interrupted") {
    printPendingCall(outcome.interruption, { io, output, store }, places);
  } else if (outcome.error?.code === "approval_rejected") {
    output.printMessage(
      `toolweave: ${safeValue(outcome.result.toolName)} was not called, because you did not approve it.`,
    );
  } else if (outcome.error?.code === "store_unavailable") {
    const { cause } = outcome.error;
    output.printMessage(describeError(outcome.error, false));
    // What is wrong with which file stands in the cause.
    if (cause !== undefined && !ToolError.is(cause))
      output.printMessage(describeError(cause, verbose));
  } else if (outcome.error !== undefined) {
    output.printMessage(describeError(outcome.error, verbose));
    const left = getPartialText(outcome);
    if (json !== true && left !== "")
      output.printMessage(`  ${safeText(left).replaceAll("\n", "\n  ")}`);
  } else if (json !== true && !isSaved) {
    const { text, notes } = renderResult(outcome.result.content);
    const displayed = output.isTerminal ? formatForTerminal(text, output) : text;
    if (displayed !== "")
      await output.write(displayed.endsWith("\n") ? displayed : `${displayed}\n`);
    for (const note of notes)
      output.printMessage(note.startsWith("[") ? safeLine(note) : `toolweave: ${safeLine(note)}`);
  }
  for (const { id } of store.saved) {
    output.printMessage(
      `toolweave: Saved a grant. To revoke it: ${storeCommand(store, io.env, "revoke", id)}`,
    );
  }
}

/** Makes the text of a result safe to display; JSON is indented and coloured. */
function formatForTerminal(text: string, { style }: Output): string {
  if (!/^\s*[[{]/.test(text)) return safeText(text);
  try {
    return colorJson(safeJson(JSON.stringify(JSON.parse(text), null, 2)), style);
  } catch {
    return safeText(text);
  }
}

/** Returns a tool's partial text beside its error: it is no complete result, and not for stdout. */
function getPartialText({ status, result, error }: EndedOutcome): string {
  if (status !== "completed" || error === undefined) return "";
  const { text } = renderResult(result.content);
  const at = text.indexOf(error.message);
  return at < 0 ? "" : text.slice(at + error.message.length).trim();
}

/** Saves the answer; what cannot be saved is printed, since the call is not to be made again for it. */
async function save({ result }: CompletedOutcome, file: string, output: Output): Promise<boolean> {
  if (result.isError) return false;
  const bytes = toFileBytes(result.content);
  try {
    await saveFile(file, bytes);
    output.printMessage(`toolweave: ${bytes.byteLength} bytes saved to ${safeValue(file)}.`);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.printMessage(`toolweave: The result could not be saved: ${safeLine(reason)}.`);
    return false;
  }
}

/** Prints why a tool may not be called. The reason is withheld from models. */
export async function printDenial(
  outcome: ToolOutcome,
  executor: ToolExecutor,
  output: Output,
  places: ToolPlaces,
): Promise<void> {
  if (outcome.status !== "failed" || outcome.error.code !== "not_advertised") return;
  const { requests } = await executor.explain({ name: outcome.result.toolName });
  const denials = requests.filter(({ effect }) => effect === "deny");
  if (denials.length === 0) return;
  const remedies = new Set(
    denials.flatMap(({ remedy, permission }) =>
      remedy === undefined ? [] : [formatRemedy(remedy, permission, places)],
    ),
  );
  output.printMessage(
    [
      `toolweave: The policy denies the call: ${denials.map(({ reason }) => safeLine(reason)).join("; ")}.`,
      ...[...remedies].map((remedy) => `  to change this: ${remedy}`),
    ].join("\n"),
  );
}

function printPendingCall(
  interruption: Interruption,
  { io, output, store }: CommandPlace,
  places: ToolPlaces | undefined,
): void {
  const { call, requests, expiresAt } = interruption;
  const { notes, ...commands } = pendingCallHints(interruption, store, io.env);
  const [waitsFor, unsent] = waitsForApprovalOnly(interruption)
    ? ["approval", "Nothing was sent. "]
    : ["you", ""];
  output.printMessage(
    [
      `toolweave: ${safeValue(call.name)} waits for ${waitsFor}:`,
      truncateText(describeRequests(requests, call.arguments, places), commands.show),
      // Rounded up: it has only just begun.
      `${unsent}It is stored for ${formatDuration(expiresAt - Date.now() + 60_000)}; continue with one of:`,
      ...Object.values(commands).map((command) => `  ${command}`),
      ...notes,
    ].join("\n"),
  );
}
