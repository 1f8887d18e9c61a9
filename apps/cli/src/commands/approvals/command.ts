import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import {
  collect,
  outputHelp,
  withConfig,
  withToolOverrides,
  withStore,
} from "../shared/options.ts";
import type { ApproveOptions, RejectOptions, ResumeOptions } from "./answer.ts";
import type { StoreOptions } from "../../sources/find-store.ts";

const approvalsExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals show 3f2a91
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals reject 3f2a91 --reason 'not before Monday'

The store is --store, otherwise "store" of the configuration (--config, or the toolweave.json here),
otherwise $TOOLWEAVE_STORE, otherwise toolweave/approvals.sqlite in $XDG_STATE_HOME or
~/.local/state. Without $HOME, ~ is the home folder from the user database.
Pending calls are encrypted with $TOOLWEAVE_KEY (32 bytes or more), otherwise with the key in the
file next to the store (approvals.sqlite.key), which is created when it is first needed. A store of
several machines is a database: see \`toolweave db --help\`.
`;

const listExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals list --json | jq -r '.calls[] | select(.status == "pending") | .id'

"claimed": the call is running, or its process has just ended. "unfinished": the call started, but
its outcome is unknown; check what it did. It does not run again. \`toolweave approvals reject\`
removes it from the list.
`;

const showExamples = `
Examples:
  $ toolweave approvals show 3f2a91
  $ toolweave approvals show 3f2a91 --json | jq '.requests[].grant'
`;

const approveExamples = `
Examples:
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals approve 3f2a91 --always             # exactly this call, from now on
  $ toolweave approvals approve 3f2a91 --arguments '{"id": 8}'
  $ toolweave approvals approve 3f2a91 --auth 'bearer:$TOKEN'

The call runs with the same document, address, options and policy as before. Secrets are not stored:
repeat --auth and --header unless their values were $NAME. A call runs only once. If it would now do
something else than what was displayed, it waits for approval again.
`;

const rejectExamples = `
Examples:
  $ toolweave approvals reject 3f2a91
  $ toolweave approvals reject 3f2a91 --reason 'not before Monday' --by ada
`;

const resumeExamples = `
Examples:
  $ toolweave approvals resume 3f2a91
  $ toolweave approvals resume 3f2a91 --answer '{"type": "input", "value": {"name": "Rex"}}'
  $ toolweave approvals resume 3f2a91 --answer @answers.json

An answer applies to the request that its "requestId" names, or to all requests without one:
  {"type": "approve"}                           approves the call; for auth: "I have signed in"
  {"type": "approve", "grant": "always"}        also approves all calls like this one
  {"type": "approve", "arguments": {"id": 8}}   approves the call with other arguments
  {"type": "reject", "reason": "not now"}       rejects any request: the call does not run
  {"type": "input", "value": "Rex"}             answers a request for input or auth
  {"type": "result", "value": 42}               answers a request for a result
All requests must be answered together. \`toolweave approvals show <id> --json\` prints their ids.
`;

const grantsExamples = `
Examples:
  $ toolweave approvals grants
  $ toolweave approvals grants --json | jq '.grants[].permission'
`;

const revokeExamples = `
Examples:
  $ toolweave approvals revoke 8c01de
`;

const untrusted = "the configuration in this folder is not trusted";

const idHelp = "the id that `toolweave approvals list` prints, or its first characters";

/** Registers `toolweave approvals …`. */
export function addApprovals(program: Command, { io, output, end }: CommandContext): void {
  const approvals = program
    .command("approvals")
    .summary("answer calls that wait for approval")
    .description(
      "Lists and answers calls that wait for approval, of this or another process, and manages grants, which approve calls permanently.",
    )
    .addHelpText(
      "after",
      approvalsExamples +
        exitCodesHelp({
          1: "the tool returned an error or no result, or the outcome is unknown; the store is unavailable",
          3: `the call was denied or rejected, or needs approval again; nothing was sent; or ${untrusted}`,
          4: "a source could not be loaded; no tool was called",
        }),
    );
  const command = (nameAndArguments: string): Command =>
    withStore(approvals.command(nameAndArguments));

  withConfig(command("list"))
    .summary("list the pending calls")
    .description("Lists the pending calls, and calls whose outcome is unknown.")
    .option("--json", 'print {"store", "calls": [...]}')
    .addHelpText(
      "after",
      listExamples + exitCodesHelp({ 1: "the store is unavailable", 3: untrusted }),
    )
    .action(async (options: StoreOptions) => {
      const { listCalls } = await import("./list.ts");
      end(await listCalls(options, io, output));
    });

  withConfig(command("show"))
    .summary("show what a call would do")
    .description("Shows what a call would do, why it needs approval, and which grant can be saved.")
    .argument("<id>", idHelp)
    .option("--json", "print it as JSON")
    .addHelpText(
      "after",
      showExamples +
        exitCodesHelp({
          1: "the store is unavailable",
          3: `the call can no longer be answered; or ${untrusted}`,
        }),
    )
    .action(async (id: string, options: StoreOptions) => {
      const { showCall } = await import("./list.ts");
      end(await showCall(id, options, io, output));
    });

  withToolOverrides(command("approve"))
    .summary("approve a call and run it")
    .description(
      "Runs a pending call once, as it was displayed, and prints its result like `toolweave call`.",
    )
    .argument("<id>", idHelp)
    .option("--always", "also save a grant: calls like this one need no approval any more")
    .option("--any-arguments", "with --always: with any arguments")
    .option("--arguments <json|@file|->", "run it with these arguments instead")
    .option(
      "--by <name>",
      "the name of the person who approves (default: the user of this process)",
    )
    .option("--output <file>", outputHelp)
    .option("--json", "print the complete outcome as JSON")
    .addHelpText(
      "after",
      approveExamples +
        exitCodesHelp({
          1: "the tool returned an error or no result, or the outcome is unknown; the store is unavailable",
          3: `the call was denied or rejected, or needs approval again; nothing was sent; or ${untrusted}`,
          4: "a source could not be loaded; no tool was called",
        }),
    )
    .action(async (id: string, options: ApproveOptions) => {
      const { approve } = await import("./answer.ts");
      end(await approve(id, options, io, output));
    });

  withConfig(command("reject"))
    .summary("reject a call, so that it never runs")
    .description("Rejects a call, so that it never runs. Exits with 0 when the call is rejected.")
    .argument("<id>", idHelp)
    .option("--reason <text>", "the reason, for the caller")
    .option("--by <name>", "the name of the person who rejects (default: the user of this process)")
    .option("--json", "print the complete outcome as JSON")
    .addHelpText(
      "after",
      rejectExamples +
        exitCodesHelp({
          0: "the call is rejected",
          1: "the store is unavailable",
          3: `the call can no longer be rejected; or ${untrusted}`,
        }),
    )
    .action(async (id: string, options: RejectOptions) => {
      const { reject } = await import("./answer.ts");
      end(await reject(id, options, io, output));
    });

  withToolOverrides(command("resume"))
    .summary("answer a call that waits for more than approval")
    .description(
      "Resumes a pending call of any kind. Without --answer it prompts for the answers on a terminal.",
    )
    .argument("<id>", idHelp)
    .option("--answer <json|@file|->", "an answer, or a list of them; may be repeated", collect)
    .option("--output <file>", outputHelp)
    .option("--json", "print the complete outcome as JSON")
    .addHelpText(
      "after",
      resumeExamples +
        exitCodesHelp({
          1: "the tool returned an error or no result, or the outcome is unknown; the store is unavailable",
          3: `the call was denied or rejected, or needs approval again; nothing was sent; or ${untrusted}`,
          4: "a source could not be loaded; no tool was called",
        }),
    )
    .action(async (id: string, options: ResumeOptions) => {
      const { resume } = await import("./answer.ts");
      end(await resume(id, options, io, output));
    });

  withConfig(command("grants"))
    .summary("list the grants")
    .description("Lists the grants: each approves matching calls until it is revoked.")
    .option("--json", 'print {"store", "grants": [...]}')
    .addHelpText(
      "after",
      grantsExamples + exitCodesHelp({ 1: "the store is unavailable", 3: untrusted }),
    )
    .action(async (options: StoreOptions) => {
      const { listGrants } = await import("./list.ts");
      end(await listGrants(options, io, output));
    });

  withConfig(command("revoke"))
    .summary("revoke a grant")
    .description("Revokes a grant: matching calls need approval again.")
    .argument(
      "<grant-id>",
      "the id that `toolweave approvals grants` prints, or its first characters",
    )
    .option("--json", "print the grant as JSON")
    .addHelpText(
      "after",
      revokeExamples + exitCodesHelp({ 1: "the store is unavailable", 3: untrusted }),
    )
    .action(async (id: string, options: StoreOptions) => {
      const { revokeGrant } = await import("./list.ts");
      end(await revokeGrant(id, options, io, output));
    });
}
