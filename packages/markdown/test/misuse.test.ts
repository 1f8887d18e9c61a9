import { expect, test } from "vitest";
import {
  agentArtifacts,
  describeScripts,
  exportSkill,
  exportSkills,
  mapTools,
  readAgent,
  readSkill,
  scriptTool,
  skillsProvider,
  toSkillAgentOptions,
  toSubAgentOptions,
} from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => agentArtifacts(5 as never), "agentArtifacts: project is 5; use a text"],
  [() => describeScripts(none), "describeScripts: toolset is missing; use executor.toolset"],
  [() => exportSkill(none), "exportSkill: artifact is missing; use an object."],
  [() => exportSkills(none), "exportSkills: path is missing; use a text"],
  [() => mapTools("Read" as never), 'mapTools: references is "Read"; use a list.'],
  [() => mapTools([5 as never]), "mapTools: references[0] is no object; use one."],
  [() => readAgent(none, "", "claude"), "readAgent: file is missing; use a text"],
  [() => readAgent("a.md", none, "claude"), "readAgent: text is no text; use one."],
  [() => scriptTool({ readOnly: "true" as never }), 'readOnly is "true"; use true or false.'],
  [() => scriptTool({ hints: [5 as never] }), "scriptTool: hints[0] is 5; use a function."],
  [() => readSkill(5 as never), "readSkill: folder is 5; use a text"],
  [() => skillsProvider(5 as never), "skillsProvider: folders is 5; use a text"],
  [() => toSkillAgentOptions(none, none), "toSkillAgentOptions: skill is missing"],
  [() => toSubAgentOptions(none, none), "toSubAgentOptions: agent is missing"],
  [() => toSubAgentOptions({} as never, none), "toSubAgentOptions: host is missing"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
