import type { Interruption, Grant } from "@toolweave/core";
import type { PendingCallRecord, PendingCallStatus } from "@toolweave/core/stores";
import { shortIds, findById } from "../../input/find-by-id.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { getGrantProposals } from "../../prompt/ask-for-approval.ts";
import { describeError } from "../../render/describe-error.ts";
import {
  describeProposals,
  describeRequest,
  describeRequests,
  describeGrant,
} from "../../render/describe-requests.ts";
import { fitTable } from "../../render/columns.ts";
import { formatJson } from "../../render/json.ts";
import { formatCount, formatDuration, safeValue } from "../../render/text.ts";
import { withFoundStore, type StoreOptions } from "../../sources/find-store.ts";
import type { CommandStore } from "../../store/command-store.ts";
import { getPendingCallContext } from "../../store/pending-call-context.ts";
import { pendingCallHints } from "../shared/hints.ts";
import { examineCall, findPendingCall } from "./pending-call.ts";

/** `toolweave approvals list`: the pending calls, and those that ended with an unknown outcome. */
export function listCalls(options: StoreOptions, io: CliIo, output: Output): Promise<number> {
  return withFoundStore(options, io, output, async (store) => {
    const records = await store.pendingCalls.list();
    printMissingStore(store, output);
    const now = await store.pendingCalls.now();
    const short = shortIds(records.map(({ interruption }) => interruption.id));
    if (options.json === true) {
      const calls = records.map(({ interruption, status }) => ({
        shortId: short.get(interruption.id),
        ...toCallData(interruption, status),
      }));
      await output.write(formatJson({ store: store.location, calls }, output));
      return exitCode.completed;
    }
    const rows = records.map(({ interruption, status }) => [
      safeValue(short.get(interruption.id) ?? ""),
      safeValue(interruption.call.name),
      getIntent(interruption),
      ...getTimes(interruption, status, now),
      statusTexts[status],
    ]);
    for (const line of fitTable(rows, listedMinWidths, output.columns)) {
      await output.write(`${line}\n`);
    }
    const waiting = records.filter(({ status }) => status === "pending").length;
    await output.write(
      `${rows.length > 0 ? "\n" : ""}${waiting} pending in ${safeValue(store.location)}\n`,
    );
    return exitCode.completed;
  });
}

/** The minimum widths of the columns of a tool and of what its call would do. */
const listedMinWidths = { 1: 10, 2: 10 };

/** Prints that there is no store: a mistyped path looks like an empty store. */
function printMissingStore({ missingAt }: CommandStore, output: Output): void {
  if (missingAt === undefined) return;
  output.printMessage(`toolweave: There is no store at ${safeValue(missingAt)} yet.`);
}

/** `toolweave approvals show`: everything that a person has to know before they answer. */
export function showCall(
  id: string,
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  return withFoundStore(options, io, output, async (store) => {
    const record = await findPendingCall(store, id);
    const { interruption, status } = record;
    const { refusal } = await examineCall(store, record);
    const next = pendingCallHints(interruption, store, io.env);
    if (options.json === true) {
      const data = {
        ...toCallData(interruption, status),
        ...(refusal === undefined
          ? { next }
          : { refusal: refusal.status === "failed" ? refusal.error : undefined }),
      };
      await output.write(formatJson(data, output));
    } else {
      const now = await store.pendingCalls.now();
      for (const line of pendingCallLines(record, now, refusal === undefined))
        await output.write(`${line}\n`);
      if (refusal === undefined) {
        await output.write("\nTo answer it:\n");
        const { show: _, notes, ...answers } = next;
        for (const command of Object.values(answers)) await output.write(`  ${command}\n`);
        for (const note of notes) await output.write(`${note}\n`);
      }
    }
    if (refusal?.status === "failed") output.printMessage(describeError(refusal.error, false));
    return exitCode.completed;
  });
}

function* pendingCallLines(
  { interruption, status }: PendingCallRecord,
  now: number,
  canBeAnswered: boolean,
): Generator<string> {
  const { id, call, requests } = interruption;
  yield `${safeValue(call.name)} ${safeValue(id)}`;
  yield `  ${[statusTexts[status], ...getTimes(interruption, status, now)].filter(Boolean).join(", ")}`;
  for (const line of sourceLines(interruption)) yield `  ${line}`;
  yield describeRequests(requests, call.arguments).trimEnd();
  const proposals = canBeAnswered ? getGrantProposals(requests) : [];
  if (proposals.length === 0) return;
  yield "";
  yield `With --always: ${describeProposals(proposals, "always").trimEnd()}`;
}

/** Yields the source of the call's tool, and the credentials that it would use. */
function* sourceLines(interruption: Interruption): Generator<string> {
  const context = getPendingCallContext(interruption);
  if (context === undefined) {
    yield "made by another program";
    return;
  }
  const { documents, modules = [], mcp = [], config, baseUrl, auth, header, policy } = context;
  for (const { location = "a document whose address is not stored" } of documents) {
    yield `from ${safeValue(location)}`;
  }
  for (const { path } of modules) yield `from ${safeValue(path)}`;
  for (const server of mcp) yield `from ${safeValue(server)}`;
  if (config !== undefined) yield `from ${safeValue(config)}`;
  if (baseUrl !== undefined) yield `at ${safeValue(baseUrl)}`;
  const credentials = [...auth, ...header].map(safeValue);
  if (credentials.length > 0) yield `with ${credentials.join(", ")}`;
  if (policy !== undefined) yield `under the policy ${safeValue(policy)}`;
}

const statusTexts: Readonly<Record<PendingCallStatus, string>> = {
  pending: "pending",
  claimed: "claimed: running",
  finished: "finished",
  unfinished: "unfinished: the outcome is unknown",
};

function getTimes(interruption: Interruption, status: PendingCallStatus, now: number): string[] {
  const calledAt = getPendingCallContext(interruption)?.calledAt;
  const left = interruption.expiresAt - now;
  return [
    calledAt === undefined ? "" : `${formatDuration(now - calledAt)} old`,
    status === "pending" ? (left > 0 ? `${formatDuration(left)} left` : "expired") : "",
  ];
}

const maxIntentLength = 70;

function getIntent({ requests }: Interruption): string {
  const [first, ...more] = requests;
  if (first === undefined) return "";
  const text = describeRequest(first);
  const clipped = text.length > maxIntentLength ? `${text.slice(0, maxIntentLength - 1)}…` : text;
  return more.length === 0 ? clipped : `${clipped} and ${more.length} more`;
}

function toCallData(interruption: Interruption, status: PendingCallStatus): object {
  const { id, call, requests, expiresAt, runId, specHash } = interruption;
  const calledAt = getPendingCallContext(interruption)?.calledAt;
  return {
    id,
    status,
    call,
    requests,
    ...(calledAt === undefined ? {} : { calledAt }),
    expiresAt,
    runId,
    specHash,
  };
}

/** `toolweave approvals grants`: lists the calls that need no approval any more. */
export function listGrants(options: StoreOptions, io: CliIo, output: Output): Promise<number> {
  return withFoundStore(options, io, output, async (store) => {
    const grants = await store.grants.list();
    printMissingStore(store, output);
    if (options.json === true) {
      await output.write(formatJson({ store: store.location, grants }, output));
      return exitCode.completed;
    }
    const now = await store.pendingCalls.now();
    const short = shortIds(grants.map(({ id }) => id));
    const rows = grants.map((grant) => [
      safeValue(short.get(grant.id) ?? ""),
      safeValue(grant.tool),
      describeGrant(grant, grant.scope),
      grant.scope === "always" ? "" : "in one session",
      grant.by === undefined ? "" : `by ${safeValue(grant.by)}`,
      `${formatDuration(now - grant.grantedAt)} old`,
    ]);
    for (const line of fitTable(rows, listedMinWidths, output.columns)) {
      await output.write(`${line}\n`);
    }
    await output.write(
      `${rows.length > 0 ? "\n" : ""}${formatCount(rows.length, "grant")} in ${safeValue(store.location)}\n`,
    );
    return exitCode.completed;
  });
}

/** `toolweave approvals revoke`: from now on approval is required again. */
export function revokeGrant(
  id: string,
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  return withFoundStore(options, io, output, async (store) => {
    const grant: Grant = findById(
      id,
      await store.grants.list(),
      ({ id }) => id,
      "grant",
      ` in ${safeValue(store.location)}`,
    );
    const revoked = await store.grants.revoke(grant.id);
    if (options.json === true) {
      await output.write(formatJson({ revoked, grant }, output));
    } else {
      output.printMessage(
        revoked
          ? `toolweave: Revoked: calls of ${safeValue(grant.tool)} need approval again.`
          : "toolweave: The grant was already revoked.",
      );
    }
    return exitCode.completed;
  });
}
