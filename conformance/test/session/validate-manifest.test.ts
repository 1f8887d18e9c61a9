import { defineTool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type Manifest } from "../../src/index.ts";

const ping = defineTool({
  name: "ping",
  description: "Answer.",
  input: { type: "object" },
  execute: () => "pong",
});

test.each<[what: string, more: Partial<Manifest>, message: string]>([
  [
    "an unknown rule",
    { knownFailing: { "TW-SPEC-999": "later" } },
    "ping: knownFailing names TW-SPEC-999, which is not a rule.",
  ],
  [
    "a rule that is known to fail without a reason",
    { knownFailing: { "TW-SPEC-003": "" } },
    "ping: knownFailing.TW-SPEC-003 needs a reason.",
  ],
  [
    "a declaration in without that has no reason",
    { without: { slowCalls: "" } },
    "ping: without.slowCalls needs a reason.",
  ],
  [
    "sample calls that are also in without",
    {
      samples: { slowCalls: [{ tool: "ping", arguments: {} }] },
      without: { slowCalls: "no time" },
    },
    "ping: samples.slowCalls is declared, so remove slowCalls from without.",
  ],
  [
    "a kind of calls that does not exist",
    { samples: { suceedingCalls: [] } as unknown as NonNullable<Manifest["samples"]> },
    "ping: there are no samples.suceedingCalls: did you mean succeedingCalls?",
  ],
  [
    "a field that does not exist",
    { generated: "all" } as unknown as Partial<Manifest>,
    "ping: there is no field generated. There are name, create, samples, generatedCalls, state, secrets, change, outage, without, knownFailing, createWithSchema, injected.",
  ],
  [
    "a call where a list must be",
    {
      samples: { slowCalls: { tool: "ping", arguments: {} } } as unknown as NonNullable<
        Manifest["samples"]
      >,
    },
    "ping: samples.slowCalls must be a list of calls.",
  ],
  [
    "an effect without a count",
    {
      samples: { effectCalls: [{ tool: "ping", arguments: {} }] } as unknown as NonNullable<
        Manifest["samples"]
      >,
    },
    "ping: samples.effectCalls[0].count must be a function.",
  ],
  [
    "an outage without an end",
    { outage: { begin: () => {} } as unknown as NonNullable<Manifest["outage"]> },
    "ping: outage must be an object with the functions begin and end, and optionally loseAnswers.",
  ],
])("a manifest with %s is refused", async (_, more, message) => {
  await expect(
    runConformance({
      name: "ping",
      create: () => [ping],
      without: "no time",
      ...more,
    }),
  ).rejects.toMatchObject({
    code: "invalid_configuration",
    message,
  });
});

test("a manifest without a name is rejected", async () => {
  const manifest = { create: () => [ping], without: "no time" } as unknown as Manifest;
  await expect(runConformance(manifest)).rejects.toMatchObject({
    code: "invalid_configuration",
    message: "The manifest: name must be a string.",
  });
});
