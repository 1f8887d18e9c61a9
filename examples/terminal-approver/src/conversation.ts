import type { JsonObject, ToolOutcome, ToolRun } from "@toolweave/core";

import { labelled } from "./printable.ts";

interface Turn {
  readonly says: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

const plan = { name: "plan", content: "Monday: Lisbon\nTuesday: Sintra\n" };

/** The calls of a model, so that none is needed. */
const script: readonly Turn[] = [
  { says: "Let me see what is there.", name: "list_notes", arguments: {} },
  { says: "The trips will do.", name: "read_note", arguments: { name: "trips" } },
  { says: "I write a plan.", name: "write_note", arguments: plan },
  { says: "The diary may say more.", name: "read_note", arguments: { name: "diary" } },
  { says: "The shopping is done.", name: "delete_note", arguments: { name: "shopping" } },
  { says: "I save the plan again, to be sure.", name: "write_note", arguments: plan },
];

/** Runs the script, and prints each call with the model's text of its outcome. */
export async function converse(run: ToolRun, print: (line: string) => void): Promise<void> {
  for (const [index, { says, name, arguments: args }] of script.entries()) {
    print("");
    print(labelled("model:", says));
    print(labelled("calls:", `${name} ${JSON.stringify(args)}`));
    const outcome = await run.execute({ id: `call_${index + 1}`, name, arguments: args });
    print(labelled("reads:", readByModel(outcome)));
  }
}

function readByModel(outcome: ToolOutcome): string {
  // With an approver no call waits.
  if (outcome.interruption) return "(nothing yet)";
  const texts = outcome.result.content.flatMap((block) =>
    block.type === "text" ? [block.text] : [],
  );
  return texts.join("\n");
}
