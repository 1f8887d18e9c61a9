import type { ApprovalMode, ToolCall } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { readObjectOption } from "../../input/json-option.ts";
import { parseArguments } from "../../input/parse-arguments.ts";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode, outcomeExitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { getUserName } from "../../process/user-name.ts";
import { promptApprover } from "../../prompt/ask-for-approval.ts";
import { canPrompt } from "../../prompt/questions.ts";
import { describeError } from "../../render/describe-error.ts";
import { showProgress } from "../../render/progress.ts";
import { safeValue } from "../../render/text.ts";
import { planSources } from "../../sources/load-sources.ts";
import { openAudit } from "../../store/open-audit.ts";
import type { RemedyPlaces } from "../../render/remedy.ts";
import { withStore } from "../../store/open-store.ts";
import { toContextMetadata } from "../../store/pending-call-context.ts";
import { createExecutor } from "../shared/executor.ts";
import { printOutcome, printDenial } from "../shared/report-outcome.ts";
import { checkSavePath } from "../shared/save-result.ts";
import { cannotContinue, unknownToolError } from "../shared/tool-lookup.ts";

/** The options of `toolweave call`. */
export interface CallOptions extends ToolOptions {
  readonly args?: string;
  readonly policy?: string;
  readonly store?: string;
  readonly yes?: boolean;
  readonly output?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `toolweave call`: calls one tool, asks first where the policy does, and prints the answer. */
export async function call(
  tool: string,
  words: readonly string[],
  options: CallOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { verbose = false, policy, timeout } = options;
  const plan = await planSources(options, io, output);
  await checkSavePath(options.output);
  const base = options.args === undefined ? {} : await readObjectOption("--args", options.args, io);
  const loaded = await plan.load({ tool });
  const { registry, failures, policy: rules, hooks, audit, store: place, places } = loaded;
  try {
    const found = registry.get(tool);
    const isEnd = cannotContinue(plan, failures, found);
    // Other sources that failed are no concern of a call whose tool is there.
    for (const failure of isEnd || verbose ? failures : []) {
      output.printMessage(describeError(failure, verbose));
    }
    if (isEnd) return exitCode.sourceFailed;
    if (found === undefined) throw unknownToolError(registry, tool);
    const schema = argumentsSchemaOf(found);
    // Reading the schema is what shows that an operation is broken.
    if (found.availability?.status === "unavailable") {
      output.printMessage(describeError(new Error(found.availability.reason), false));
      return exitCode.toolError;
    }
    const toolCall: ToolCall = {
      id: "call",
      name: tool,
      arguments: words.length === 0 ? base : parseArguments(words, schema, base),
      metadata: toContextMetadata({ ...options, ...plan }, policy),
    };
    const progress = new CallProgress(io, `Calling ${safeValue(tool)} …`);
    const attempt = (): Promise<number | undefined> =>
      withStore(options.store, place, io.env, async (store) => {
        const executor = createExecutor({
          registry,
          policy: rules,
          hooks,
          timeout,
          onAsk: progress.pauseFor(onAsk(options, io, places)),
          isForModel: found.delegates,
          // A call that is approved already needs no working store.
          store: options.yes === true ? undefined : store,
          audit: await openAudit(store, "call", audit),
          key: store.key.value,
        });
        progress.start();
        const outcome = await executor
          .execute(toolCall, { signal: io.signal })
          .finally(() => progress.stop());
        if (store.key.wasTaken) return undefined;
        const toolPlaces = { ...places, source: found.spec.provenance.source };
        await printOutcome(outcome, options, { io, output, store, places: toolPlaces });
        await printDenial(outcome, executor, output, toolPlaces);
        return outcomeExitCode(outcome, io.signal.aborted);
      });
    // Another process has just made the key of the store: nothing has run, and the next try has it.
    return (await attempt()) ?? (await attempt()) ?? exitCode.toolError;
  } finally {
    await registry.close();
  }
}

/** The progress line of a call, which is absent while the person is asked. */
class CallProgress {
  readonly #show: () => () => void;
  #end: (() => void) | undefined;

  constructor(io: CliIo, message: string) {
    this.#show = () => showProgress(io, message);
  }

  start(): void {
    this.#end ??= this.#show();
  }

  stop(): void {
    this.#end?.();
    this.#end = undefined;
  }

  pauseFor(ask: ApprovalMode): ApprovalMode {
    if (typeof ask !== "function") return ask;
    return async (request) => {
      this.stop();
      try {
        return await ask(request);
      } finally {
        this.start();
      }
    };
  }
}

function onAsk({ yes, args }: CallOptions, io: CliIo, places: RemedyPlaces): ApprovalMode {
  if (yes === true) return () => ({ approved: true, by: getUserName() });
  // With arguments from stdin there is no stdin left for answers.
  return canPrompt(io) && args !== "-" ? promptApprover(io, places) : "interrupt";
}
