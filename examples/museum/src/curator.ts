import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tool } from "@toolweave/core";
import { subAgentTool } from "@toolweave/subagent";

import { scriptedCall as call, type Script } from "./scripted-model.ts";

/** The demo's task for the curator. */
export const task =
  "Read wishes.txt, look at the tours, and if the museum can fulfil the wish, add one event of the same kind. Then write the visitor one sentence to answer.txt.";

/** An agent as a tool: it uses an API's tools and those of an MCP server. */
export function curator(model: LanguageModelV4): Tool {
  return subAgentTool({
    name: "curator",
    title: "An agent that sees to the programme",
    description: "Sees to the museum's programme and answers visitors.",
    system:
      "You are the curator of a museum. Files are named without a folder. A call that a person refuses is not made again.",
    model,
    tools: ["list_events", "get_event", "create_event", "files__*"],
    limits: { turns: 12, durationMs: 120_000 },
  });
}

/** The outputs of the curator's model. */
export const curatorScript: Script = (turn, done) => {
  const added = done.has("create_event");
  switch (turn) {
    case 0:
      // Both at once: one is a request over HTTP, the other goes to the MCP server.
      return [
        call("files__read_text_file", { path: "wishes.txt" }),
        call("list_events", { kind: "tour" }),
      ];
    case 1:
      return [
        call("create_event", {
          title: "Lanterns After Dark, Again",
          kind: "tour",
          startsOn: "2027-04-24",
          capacity: 25,
        }),
      ];
    case 2: {
      const content = added
        ? "There is another lantern tour on 24 April 2027.\n"
        : "We are sorry: there is no other lantern tour this spring.\n";
      return [call("files__write_file", { path: "answer.txt", content })];
    }
    default: {
      const tour = added ? "The tour is on the programme" : "The tour is not on the programme";
      const note = done.has("files__write_file") ? "is written" : "is not written";
      return [{ type: "text", text: `${tour}, and the answer to the visitor ${note}.` }];
    }
  }
};
