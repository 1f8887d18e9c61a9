import {
  ToolRegistry,
  type Answer,
  type ApprovalRequest,
  type GrantChoice,
  type Interruption,
  type ToolOutcome,
} from "@toolweave/core";
import { withoutBigints } from "@toolweave/core/adapter";
import { readJsonOption, readObjectOption } from "../../input/json-option.ts";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode, outcomeExitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { getUserName } from "../../process/user-name.ts";
import { askForAnswers, getGrantProposals } from "../../prompt/ask-for-approval.ts";
import { canPrompt } from "../../prompt/questions.ts";
import { describeError } from "../../render/describe-error.ts";
import {
  describeProposals,
  truncateText,
  describeRequests,
} from "../../render/describe-requests.ts";
import { showProgress } from "../../render/progress.ts";
import { safeValue } from "../../render/text.ts";
import { withFoundStore, type StoreOptions } from "../../sources/find-store.ts";
import { planSources } from "../../sources/load-sources.ts";
import { addScripts } from "../../sources/script-source.ts";
import type { CommandStore } from "../../store/command-store.ts";
import { openAudit } from "../../store/open-audit.ts";
import { rebuildSources, getPendingCallContext } from "../../store/pending-call-context.ts";
import { createExecutor } from "../shared/executor.ts";
import { storeCommand, waitsForApprovalOnly, waitsForApprovals } from "../shared/hints.ts";
import {
  printOutcome,
  printDenial,
  type CommandPlace,
  type ReportOptions,
} from "../shared/report-outcome.ts";
import { checkSavePath } from "../shared/save-result.ts";
import { cannotContinue } from "../shared/tool-lookup.ts";
import { examineCall, findPendingCall, replayOutcome } from "./pending-call.ts";

/** The options of the commands that resume a call. */
interface AnswerOptions extends StoreOptions, ToolOptions {
  readonly verbose?: boolean;
  readonly output?: string;
}

/**
 * Returns the person's answers. A call that `isOver` may be answered once more as it was, by a command that
 * has its answers in its options: nothing is asked, and the call is not displayed. `undefined`: it is not.
 */
type AnswerProvider = (
  interruption: Interruption,
  isOver: boolean,
) => readonly Answer[] | undefined | Promise<readonly Answer[] | undefined>;

/** The options of `toolweave approvals approve`. */
export interface ApproveOptions extends AnswerOptions {
  readonly always?: boolean;
  readonly anyArguments?: boolean;
  readonly arguments?: string;
  readonly by?: string;
}

/** The options of `toolweave approvals reject`. */
export interface RejectOptions extends StoreOptions {
  readonly verbose?: boolean;
  readonly reason?: string;
  readonly by?: string;
}

/** The options of `toolweave approvals resume`. */
export interface ResumeOptions extends AnswerOptions {
  readonly answer?: readonly string[];
}

/** `toolweave approvals approve`: runs a call that waits for a yes, and prints its answer as `call` does. */
export async function approve(
  id: string,
  options: ApproveOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { always, anyArguments, by = getUserName() } = options;
  if (anyArguments === true && always !== true) {
    throw new UsageError("--any-arguments says what --always saves: give both.");
  }
  if (always === true && options.arguments !== undefined) {
    throw new UsageError(
      "--always saves what was asked for, and --arguments changes it: give one of them.",
    );
  }
  const edited =
    options.arguments === undefined
      ? undefined
      : await readObjectOption("--arguments", options.arguments, io);
  const grant: GrantChoice | undefined =
    always !== true
      ? undefined
      : anyArguments === true
        ? { scope: "always", arguments: "any" }
        : "always";
  return withFoundStore(options, io, output, (store) =>
    answerCall(id, options, { io, output, store }, (interruption, isOver) => {
      const answers: Answer[] = [
        {
          type: "approve",
          by,
          ...(edited === undefined ? {} : { arguments: withoutBigints(edited) }),
          ...(grant === undefined ? {} : { grant }),
        },
      ];
      if (isOver) return answers;
      if (!waitsForApprovals(interruption)) throw moreThanApprovalError(id);
      if (edited !== undefined && !waitsForApprovalOnly(interruption)) {
        throw new UsageError(
          "--arguments changes a call that has not begun, and this one waits for a call of its own.",
        );
      }
      const { call, requests } = interruption;
      // Advice about the policy is for the question, which has been answered.
      const asked = requests.map((request) =>
        request.type === "approval" ? withoutRemedy(request) : request,
      );
      const description = describeRequests(asked, edited ?? call.arguments);
      const showCommand = storeCommand(store, io.env, "show", interruption.id);
      output.printMessage(
        `toolweave: About to run ${safeValue(call.name)}:\n${truncateText(description, showCommand)}`,
      );
      const proposals = getGrantProposals(requests);
      if (grant !== undefined && proposals.length > 0) {
        output.printMessage(describeProposals(proposals, grant).trimEnd());
      }
      return answers;
    }),
  );
}

function withoutRemedy(request: ApprovalRequest): ApprovalRequest {
  const { remedy: _, ...others } = request;
  return others;
}

/** `toolweave approvals resume`: resumes a pending call, whatever it waits for. */
export function resume(
  id: string,
  options: ResumeOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { answer: written } = options;
  return withFoundStore(options, io, output, (store) =>
    answerCall(id, options, { io, output, store }, async (interruption, isOver) => {
      if (written === undefined) {
        if (isOver) return undefined;
        if (canPrompt(io)) return askForAnswers(interruption, io);
        throw new UsageError("There is no terminal: give the answers with --answer.");
      }
      const answers: unknown[] = [];
      for (const json of written) answers.push(await readJsonOption("--answer", json, io));
      // The executor validates the answers.
      return answers.flat() as Answer[];
    }),
  );
}

/** `toolweave approvals reject`: sees to it that a call never runs. */
export function reject(
  id: string,
  options: RejectOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { reason, by = getUserName() } = options;
  const answers: Answer[] = [{ type: "reject", by, ...(reason === undefined ? {} : { reason }) }];
  return withFoundStore(options, io, output, async (store) => {
    const place = { io, output, store };
    const record = await findPendingCall(store, id);
    const { refusal, key } = await examineCall(store, record);
    if (record.status === "finished") {
      return reportRejection(await replayOutcome(store, record, key, answers), options, place);
    }
    if (refusal !== undefined) {
      // A person has seen it: it need not stay in the list.
      if (record.status === "unfinished") await store.pendingCalls.finish(record.interruption.id);
      return reportOutcome(refusal, options, place);
    }
    const { interruption } = record;
    if (!waitsForApprovalOnly(interruption)) throw moreThanApprovalError(id);
    // What has not begun needs no tool to be rejected.
    const executor = createExecutor({
      registry: new ToolRegistry([]),
      store,
      audit: await openAudit(store, "approvals"),
      key,
    });
    const outcome = await executor.resume(interruption, answers, { signal: io.signal });
    return reportRejection(outcome, options, place);
  });
}

/** Reports the outcome of a rejection: a rejected call is a success. */
async function reportRejection(
  outcome: ToolOutcome,
  options: RejectOptions,
  place: CommandPlace,
): Promise<number> {
  const code = await reportOutcome(outcome, options, place);
  const isRejected = outcome.status === "failed" && outcome.error.code === "approval_rejected";
  return isRejected ? exitCode.completed : code;
}

function moreThanApprovalError(id: string): UsageError {
  return new UsageError(
    `This call has started and waits for more than approval: use \`toolweave approvals resume ${id}\`.`,
  );
}

/** Resumes a call in this process, unless it is refused. */
async function answerCall(
  id: string,
  options: AnswerOptions & Pick<ApproveOptions, "always">,
  place: CommandPlace,
  getAnswers: AnswerProvider,
): Promise<number> {
  const { io, output, store } = place;
  await checkSavePath(options.output);
  const record = await findPendingCall(store, id);
  const { refusal, key } = await examineCall(store, record);
  const { interruption } = record;
  if (refusal !== undefined) {
    const isOver = record.status === "finished";
    const retried = isOver ? await getAnswers(interruption, true) : undefined;
    if (retried === undefined) return reportOutcome(refusal, options, place);
    const replayed = await replayOutcome(store, record, key, retried);
    if (replayed.status === "completed") {
      output.printMessage(
        "toolweave: This call was approved before. What follows is its result of that time; nothing was run again.",
      );
    }
    return reportOutcome(replayed, options, place);
  }
  if (key !== store.key.value && options.always === true) {
    throw new UsageError(
      "The call was encrypted with a former key, and a grant of it would not count under the present one: leave out --always.",
    );
  }
  const context = getPendingCallContext(interruption);
  const rebuilt = rebuildSources(context, options);
  const { policy: storedPolicy } = context ?? {};
  const planOptions = {
    ...rebuilt.options,
    ...(storedPolicy === undefined ? {} : { policy: storedPolicy }),
  };
  const plan = await planSources(planOptions, io, output, rebuilt.original);
  const answers = (await getAnswers(interruption, false)) ?? [];
  const { registry, failures, policy, hooks, audit, places } = await plan.load();
  try {
    await addScripts(registry, context?.scripts, planOptions.policy);
    for (const failure of failures)
      output.printMessage(describeError(failure, options.verbose === true));
    const found = registry.get(interruption.call.name);
    if (cannotContinue(plan, failures, found)) return exitCode.sourceFailed;
    const { timeout } = rebuilt.options;
    const executor = createExecutor({
      registry,
      policy,
      hooks,
      timeout,
      isForModel: found?.delegates,
      store,
      audit: await openAudit(store, "approvals", audit),
      key,
    });
    const done = showProgress(io, `Calling ${safeValue(interruption.call.name)} …`);
    const outcome = await executor
      .resume(interruption, answers, { signal: io.signal })
      .finally(done);
    const toolPlaces = { ...places, source: found?.spec.provenance.source };
    const code = await reportOutcome(outcome, options, { ...place, places: toolPlaces });
    await printDenial(outcome, executor, output, toolPlaces);
    if (code === exitCode.interrupted && (await hasBegun(store, interruption.id))) {
      output.printMessage(
        "toolweave: The call may have run in part: check its effects before you repeat it.",
      );
    }
    return code;
  } finally {
    await registry.close();
  }
}

/** False for a call that is still pending. If the store is unavailable, the call may have begun. */
async function hasBegun(store: CommandStore, id: string): Promise<boolean> {
  try {
    return (await store.pendingCalls.get(id))?.status !== "pending";
  } catch {
    return true;
  }
}

async function reportOutcome(
  outcome: ToolOutcome,
  options: ReportOptions,
  place: CommandPlace,
): Promise<number> {
  await printOutcome(outcome, options, place);
  return outcomeExitCode(outcome, place.io.signal.aborted);
}
