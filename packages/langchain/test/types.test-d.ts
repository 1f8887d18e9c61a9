/* oxlint-disable vitest/expect-expect -- what the compiler refuses is the assertion */
import { RunnableLambda } from "@langchain/core/runnables";
import { fakeModel } from "@langchain/core/testing";
import { StructuredTool, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { Interruption, ToolExecutor, ToolRun, ToolSource } from "@toolweave/core";
import { createAgent } from "langchain";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  langchainSource,
  langchainTools,
  type ToolArtifact,
  type ToolInterrupt,
  type ToolResume,
} from "../src/index.ts";

declare const executor: ToolExecutor;
declare const run: ToolRun;
declare const interruption: Interruption;

describe("langchainTools", () => {
  test("accepts an executor or a run, and returns tools for LangChain", async () => {
    const tools = await langchainTools(executor);
    expectTypeOf(tools).toEqualTypeOf<StructuredTool[]>();
    expectTypeOf(langchainTools(run)).resolves.toEqualTypeOf<StructuredTool[]>();
    createAgent({ model: fakeModel(), tools });
    void new ToolNode(tools);
    fakeModel().bindTools(tools);
  });

  test("does not accept a registry, nor a promise of a run as a run", () => {
    // @ts-expect-error: an executor does the work.
    void langchainTools(executor.registry);
    // @ts-expect-error: it has to be there.
    void langchainTools(Promise.resolve(run));
  });

  test("lets the host find the run of a call, which does not have the options of a run's start", () => {
    void langchainTools(executor, { runFor: ({ configurable }) => configurable?.["run"] });
    void langchainTools(executor, { runFor: async () => run });
    // @ts-expect-error: a run has limits and counters of its own, and is started once.
    void langchainTools(executor, { runFor: () => ({ caller: { id: "ada" } }) });
    // @ts-expect-error: nothing in the config is a caller by itself.
    void langchainTools(executor, { caller: "user_id" });
  });
});

describe("the value to resume a graph with", () => {
  test("has the interruption of each answer", () => {
    const resume: ToolResume = { [interruption.id]: { type: "approve" } };
    void new Command({ resume });
    // @ts-expect-error: LangGraph may hand it to every call that waits.
    const all: ToolResume = { type: "approve" };
    // @ts-expect-error: there is no such answer.
    const odd: ToolResume = { [interruption.id]: { type: "yes" } };
    void [all, odd];
  });

  test("belongs to the request", () => {
    expectTypeOf<ToolInterrupt["interruption"]>().toEqualTypeOf<Interruption>();
  });
});

describe("an artifact", () => {
  test("belongs to a call that has ended, or to one that waits", (_, artifact = {} as ToolArtifact) => {
    if ("interruption" in artifact)
      expectTypeOf(artifact.interruption).toEqualTypeOf<Interruption>();
    else expectTypeOf(artifact.isError).toEqualTypeOf<boolean>();
    // @ts-expect-error: what the model reads is in the message.
    void artifact.content;
  });
});

describe("langchainSource", () => {
  test("accepts every kind of LangChain tool", () => {
    const schema = z.object({ n: z.number().default(1) });
    const one = tool(({ n }) => n, { name: "one", description: "", schema });
    const two = RunnableLambda.from(({ n }: { n: number }) => n).asTool({
      name: "two",
      schema: z.object({ n: z.number() }),
    });
    const three = tool((text: string) => text, { name: "three", description: "" });
    const source = langchainSource([one, two, three], {
      annotations: ({ name }) => ({ readOnlyHint: name === "one" }),
      config: ({ caller }) => ({ configurable: { user: caller?.id } }),
    });
    expectTypeOf(source).toEqualTypeOf<ToolSource>();
    // @ts-expect-error: it has no schema.
    langchainSource([{ name: "none", invoke: async () => "" }]);
  });
});
