import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { collect, outputHelp, withToolOverrides, withStore } from "../shared/options.ts";
import type { ApproveOptions, RejectOptions, ResumeOptions } from "./answer.ts";
import type { StoreOptions } from "./list.ts";

const approvalsExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals show 3f2a91
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals reject 3f2a91 --reason 'not before Monday'

The store is --store, else $TOOLWEAVE_STORE, else toolweave/approvals.sqlite in $XDG_STATE_HOME or
~/.local/state. Without $HOME, ~ is the home folder that the system has for the user. What waits
there is sealed with $TOOLWEAVE_KEY (32 bytes or more), else with the key in the file beside it
(approvals.sqlite.key), which is made when first needed.
`;

const listExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals list --json | jq -r '.calls[] | select(.status == "pending") | .id'

"claimed" runs now, or has just lost its process. "unfinished" began to run and never came to its
end: look at what it did. It is not run again; \`toolweave approvals reject\` takes it off the list.
`;

const showExamples = `
Examples:
  $ toolweave approvals show 3f2a91
  $ toolweave approvals show 3f2a91 --json | jq '.requests[].grant'
`;

const approveExamples = `
Examples:
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals approve 3f2a91 --always             # exactly this, from now on
  $ toolweave approvals approve 3f2a91 --arguments '{"id": 8}'
  $ toolweave approvals approve 3f2a91 --auth 'bearer:$TOKEN'

The call is made as it was: with the same document, address, options and policy. Secrets are not
kept, so that --auth and --header have to be given again unless they were $NAME. A call runs once;
if it now does something else than what was shown, it waits anew.
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

An answer is for the request that its "requestId" names; without it, for all:
  {"type": "approve"}                           to an approval; to auth: "I have signed in"
  {"type": "approve", "grant": "always"}        and to all calls like this one
  {"type": "approve", "arguments": {"id": 8}}   to other arguments
  {"type": "reject", "reason": "not now"}       to anything: the call does not run
  {"type": "input", "value": "Rex"}             to input, or to auth
  {"type": "result", "value": 42}               to a result
Every request needs its answer at once. \`toolweave approvals show <id> --json\` has their ids.
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

const idHelp = "as `toolweave approvals list` prints it, or its first characters";

/** Registers `toolweave approvals …`. */
export function addApprovals(program: Command, { io, output, end }: CommandContext): void {
  const approvals = program
    .command("approvals")
    .summary("answer the calls that wait for a person")
    .description(
      "Shows and answers the calls that wait for a person, here or in another process; and the grants, which answer for one.",
    )
    .addHelpText("after", approvalsExamples + exitCodeHelp);
  const command = (nameAndArguments: string): Command =>
    withStore(approvals.command(nameAndArguments));

  command("list")
    .summary("list the calls that wait")
    .description("Lists the calls that wait, and those of which nobody knows how they ended.")
    .option("--json", 'print {"calls": [...]}')
    .addHelpText("after", listExamples + exitCodeHelp)
    .action(async (options: StoreOptions) => {
      const { listCalls } = await import("./list.ts");
      end(await listCalls(options, io, output));
    });

  command("show")
    .summary("show what a call would do")
    .description("Shows what a call would do, why somebody is asked, and what can be saved.")
    .argument("<id>", idHelp)
    .option("--json", "print it as JSON")
    .addHelpText("after", showExamples + exitCodeHelp)
    .action(async (id: string, options: StoreOptions) => {
      const { showCall } = await import("./list.ts");
      end(await showCall(id, options, io, output));
    });

  withToolOverrides(command("approve"))
    .summary("let a call run")
    .description(
      "Runs a call that waits, once and as it was shown, and prints its answer as `toolweave call` does.",
    )
    .argument("<id>", idHelp)
    .option("--always", "save it too: calls like this one are not asked about again")
    .option("--any-arguments", "with --always: whatever their arguments are")
    .option("--arguments <json|@file|->", "run it with these arguments instead")
    .option("--by <name>", "who agrees")
    .option("--output <file>", outputHelp)
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", approveExamples + exitCodeHelp)
    .action(async (id: string, options: ApproveOptions) => {
      const { approve } = await import("./answer.ts");
      end(await approve(id, options, io, output));
    });

  command("reject")
    .summary("see to it that a call never runs")
    .description("Sees to it that a call never runs. Ends with 0 when it is rejected.")
    .argument("<id>", idHelp)
    .option("--reason <text>", "why, for whoever made the call")
    .option("--by <name>", "who rejects it")
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", rejectExamples + exitCodeHelp)
    .action(async (id: string, options: RejectOptions) => {
      const { reject } = await import("./answer.ts");
      end(await reject(id, options, io, output));
    });

  withToolOverrides(command("resume"))
    .summary("answer a call that waits for more than a yes")
    .description(
      "Goes on with a call that waits for whatever it may be. Without --answer it asks, on a terminal.",
    )
    .argument("<id>", idHelp)
    .option("--answer <json|@file|->", "an answer, or a list of them; may be repeated", collect)
    .option("--output <file>", outputHelp)
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", resumeExamples + exitCodeHelp)
    .action(async (id: string, options: ResumeOptions) => {
      const { resume } = await import("./answer.ts");
      end(await resume(id, options, io, output));
    });

  command("grants")
    .summary("list what nobody is asked about any more")
    .description("Lists the grants: each answers for a person until it is revoked.")
    .option("--json", 'print {"grants": [...]}')
    .addHelpText("after", grantsExamples + exitCodeHelp)
    .action(async (options: StoreOptions) => {
      const { listGrants } = await import("./grants.ts");
      end(await listGrants(options, io, output));
    });

  command("revoke")
    .summary("take a grant back")
    .description("Takes a grant back: from now on somebody is asked again.")
    .argument("<grant-id>", "as `toolweave approvals grants` prints it, or its first characters")
    .option("--json", "print the grant as JSON")
    .addHelpText("after", revokeExamples + exitCodeHelp)
    .action(async (id: string, options: StoreOptions) => {
      const { revokeGrant } = await import("./grants.ts");
      end(await revokeGrant(id, options, io, output));
    });
}
