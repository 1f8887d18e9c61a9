import type { Runnable } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import { fakeModel } from "@langchain/core/testing";
import {
  Command,
  INTERRUPT,
  MemorySaver,
  MessagesAnnotation,
  StateGraph,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { AIMessage, createAgent, ToolMessage, type BaseMessage } from "langchain";
import type { AnsweredArtifact, ToolArtifact, ToolInterrupt, ToolResume } from "../../src/index.ts";

/** A model's call of a tool. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** The state of a graph. */
export interface GraphState {
  readonly messages: BaseMessage[];
  readonly [INTERRUPT]?: { readonly id: string; readonly value: ToolInterrupt }[];
}

/** A graph as the tests use one. */
export interface Graph {
  invoke(
    input: unknown,
    config: { configurable: { thread_id: string }; signal?: AbortSignal },
  ): Promise<unknown>;
}

/** Creates a graph whose model makes one turn of calls, and then answers that it is done. */
export type GraphMaker = (
  tools: StructuredTool[],
  calls: readonly ScriptedCall[],
  checkpointer: BaseCheckpointSaver | undefined,
) => Graph;

function createAgentGraph(version: "v1" | "v2"): GraphMaker {
  return (tools, calls, checkpointer) =>
    createAgent({
      model: script(...(calls.length === 0 ? [] : [calls])),
      tools,
      version,
      ...(checkpointer && { checkpointer }),
    }) as unknown as Graph;
}

/** Common ways of use. */
export const agent: GraphMaker = createAgentGraph("v2");

/**
 * LangGraph's ways to run tools: a task for each call, one node for all of them, a graph within a
 * graph.
 */
export const graphMakers: Readonly<Record<string, GraphMaker>> = {
  createAgent: agent,
  "createAgent, version 1": createAgentGraph("v1"),
  "a bare ToolNode": (tools, calls, checkpointer) =>
    new StateGraph(MessagesAnnotation)
      .addNode("model", (state) =>
        state.messages.some(ToolMessage.isInstance)
          ? { messages: [new AIMessage("done")] }
          : { messages: [new AIMessage({ content: "", tool_calls: [...calls] })] },
      )
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "model")
      .addConditionalEdges("model", ({ messages }) =>
        messages.some(ToolMessage.isInstance) ? "__end__" : "tools",
      )
      .addEdge("tools", "model")
      .compile(checkpointer && { checkpointer }) as unknown as Graph,
  "an agent in a graph": (tools, calls, checkpointer) => {
    const inner = agent(tools, calls, undefined) as unknown as ReturnType<typeof createAgent>;
    return new StateGraph(MessagesAnnotation)
      .addNode("agent", inner.graph as unknown as Runnable)
      .addEdge("__start__", "agent")
      .compile(checkpointer && { checkpointer }) as unknown as Graph;
  },
  "an agent that a node invokes": (tools, calls, checkpointer) => {
    const inner = agent(tools, calls, undefined);
    return new StateGraph(MessagesAnnotation)
      .addNode("host", async (state, config) => {
        const { messages } = (await inner.invoke(state, config as never)) as GraphState;
        return { messages };
      })
      .addEdge("__start__", "host")
      .compile(checkpointer && { checkpointer }) as unknown as Graph;
  },
};

/** A model that makes the calls of each turn, and then answers that it is done. */
export function script(
  ...turns: readonly (readonly ScriptedCall[])[]
): ReturnType<typeof fakeModel> {
  const model = fakeModel();
  for (const calls of turns) model.respondWithTools([...calls]);
  return model.respond(new AIMessage("done"));
}

/** One conversation with a graph that is created again for each request, as after a restart. */
export class Thread {
  readonly #make: () => Promise<Graph>;
  readonly #config: { configurable: { thread_id: string } };
  #state: GraphState = { messages: [] };

  constructor(make: () => Promise<Graph>, id = "thread") {
    this.#make = make;
    this.#config = { configurable: { thread_id: id } };
  }

  async begin(signal?: AbortSignal): Promise<this> {
    return this.#go({ messages: [{ role: "user", content: "Go." }] }, signal);
  }

  async resume(resume: unknown, signal?: AbortSignal): Promise<this> {
    return this.#go(new Command({ resume }), signal);
  }

  /** Answers every question until there is none; `answer` is called for each. */
  async answerAll(answer: (asked: ToolInterrupt) => ToolResume[string]): Promise<this> {
    while (this.asked.length > 0) {
      await this.resume(
        Object.fromEntries(this.asked.map((asked) => [asked.interruption.id, answer(asked)])),
      );
    }
    return this;
  }

  async #go(input: unknown, signal?: AbortSignal): Promise<this> {
    const graph = await this.#make();
    this.#state = (await graph.invoke(input, {
      ...this.#config,
      ...(signal && { signal }),
    })) as GraphState;
    return this;
  }

  /** The pending questions. */
  get asked(): ToolInterrupt[] {
    return (this.#state[INTERRUPT] ?? []).map(({ value }) => value);
  }

  /** LangGraph's ids of the same. */
  get interruptIds(): string[] {
    return (this.#state[INTERRUPT] ?? []).map(({ id }) => id);
  }

  /** The ids of the pending calls. */
  get waiting(): string[] {
    return this.asked.map(({ interruption }) => interruption.call.id).sort();
  }

  /** The answers to calls, by their ids. */
  get answers(): Record<string, ToolMessage> {
    return Object.fromEntries(
      this.#state.messages
        .filter((message) => ToolMessage.isInstance(message))
        .map((message) => [message.tool_call_id, message]),
    );
  }

  get last(): string | undefined {
    return this.#state.messages.at(-1)?.text;
  }
}

/** A thread over a checkpointer in memory, for one turn of calls. */
export function createThread(
  maker: GraphMaker,
  tools: () => Promise<StructuredTool[]>,
  calls: readonly ScriptedCall[],
): Thread {
  const saver = new MemorySaver();
  let turn = 0;
  return new Thread(async () => {
    turn += 1;
    // After the first request the model only has to answer that it is done.
    return maker(await tools(), turn === 1 ? calls : [], saver);
  });
}

/** The host's data in a message whose call has ended. */
export function answered(message: ToolMessage | undefined): AnsweredArtifact {
  const artifact = message?.artifact as ToolArtifact | undefined;
  if (artifact === undefined || "interruption" in artifact) throw new Error("The call waits.");
  return artifact;
}

/** The error code. */
export function readCode(message: ToolMessage | undefined): unknown {
  return answered(message).error?.["code"];
}
