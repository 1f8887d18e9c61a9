import { describe, expect, test } from "vitest";
import { readToolFile } from "../../src/authoring.ts";
import { openProject, toolFile } from "../support/project.ts";

const script = "def run(args):\n    return args";

/** The arguments that the script of a tool gets. */
async function given(head: string, args: Readonly<Record<string, never>>): Promise<unknown> {
  const { executor } = await openProject({ ".toolweave/tools/t.md": toolFile(script, head) });
  const outcome = await executor.execute({ id: "1", name: "t", arguments: args });
  return outcome.result?.value;
}

const parameters = `
parameters:
  unit: { type: string, enum: [c, f], default: c }
  days: { type: integer, default: 3 }
  place: { type: object, properties: { zone: { type: string, default: utc } } }
  stops: { type: array, items: { type: object, properties: { wait: { type: integer, default: 5 } } } }
`;

describe("the default of a parameter", () => {
  test("is what the script gets for an argument that is missing", async () => {
    expect(await given(parameters, {})).toEqual({ unit: "c", days: 3 });
    const args = { unit: "f", place: {}, stops: [{}, { wait: 1 }] } as never;
    expect(await given(parameters, args)).toEqual({
      unit: "f",
      days: 3,
      place: { zone: "utc" },
      stops: [{ wait: 5 }, { wait: 1 }],
    });
  });

  test("of input is applied, too", async () => {
    const head = "input: { type: object, properties: { days: { type: integer, default: 3 } } }";
    expect(await given(head, {})).toEqual({ days: 3 });
  });

  test("is what the host gets that runs a tool without a script", async () => {
    const { executor } = await openProject(
      { ".toolweave/tools/t.md": `---${parameters}---\nDoes it.\n` },
      { executor: { policy: "autonomous" } },
    );
    const outcome = await executor.execute({ id: "1", name: "t", arguments: { days: 4 } });
    expect(outcome.interruption?.requests).toEqual([
      expect.objectContaining({ type: "result", arguments: { days: 4, unit: "c" } }),
    ]);
  });
});

test.each([
  ["parameters:\n  a: { type: string, enum: [c, f], default: k }", 3, 45],
  ["parameters:\n  a: { type: integer, default: 0, minimum: 1 }", 3, 32],
  ["parameters:\n  a: { type: string, default: 1 }", 3, 31],
  [
    "parameters:\n  a: { type: object, default: { b: 1 }, properties: { b: { type: string } } }",
    3,
    31,
  ],
  ["parameters:\n  a: { type: array, items: { type: string, default: abc, maxLength: 2 } }", 3, 53],
  [
    'input: { properties: { a: { $ref: "#/$defs/d", default: 1 } }, $defs: { d: { type: string } } }',
    2,
    57,
  ],
])("a default that its schema refuses is an error with its place: %s", (head, line, column) => {
  const { artifact, findings } = readToolFile("t.md", toolFile(script, head));
  expect(artifact).toBeUndefined();
  expect(findings).toEqual([expect.objectContaining({ severity: "error", line, column })]);
});
