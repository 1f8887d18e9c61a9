import { conformance, type Manifest } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { jsonSchema, tool, type ToolSet } from "ai";
import { z } from "zod";
import { aiSource } from "../../src/index.ts";

const added: string[] = [];

/** A library written with the SDK only. */
function library(shelves: number): ToolSet {
  return {
    get_book: tool({
      description: "Get a book.",
      inputSchema: z.object({ id: z.int().min(1), language: z.enum(["en", "pt"]).default("en") }),
      outputSchema: z.object({ id: z.number(), title: z.string() }),
      execute: ({ id, language }) => {
        if (id > 3) throw new Error("There is no such book.");
        return { id, title: language === "en" ? "Persuasion" : "Persuasão" };
      },
    }),
    show_cover: tool({
      description: "Show a book's cover.",
      inputSchema: jsonSchema<{ id?: number }>({
        type: "object",
        properties: { id: { type: "integer" } },
        additionalProperties: false,
      }),
      execute: () => Buffer.from("89504e470d0a1a0a", "hex"),
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [
          { type: "text", text: "The cover:" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: output } },
        ],
      }),
    }),
    bind_book: tool({
      description: "Bind a book, sheet by sheet.",
      inputSchema: z.object({ sheets: z.int().min(1).max(5) }),
      async *execute({ sheets }) {
        for (let sheet = 1; sheet <= sheets; sheet++) yield { sheet };
      },
    }),
    add_book: tool({
      description: "Add a book.",
      inputSchema: z.object({ title: z.string() }),
      execute: ({ title }) => {
        added.push(title);
        return `added ${title}`;
      },
    }),
    take_inventory: tool({
      description: "Count all books.",
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) =>
        new Promise<string>((_resolve, reject) => {
          abortSignal?.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    }),
    read_book: tool({
      description: "Read a book.",
      inputSchema: z.object({}),
      execute: () => "It is a truth universally acknowledged. ".repeat(10_000),
    }),
    ask_librarian: tool({
      description: "Ask any listener.",
      inputSchema: z.object({ question: z.string() }),
      outputSchema: z.string(),
    }),
    visit_shelf: tool({
      description: `Visit one of ${shelves} shelves.`,
      inputSchema: z.object({ shelf: z.int().min(1).max(shelves) }),
      execute: ({ shelf }) => `shelf ${shelf}`,
    }),
    leave: tool({
      description: "Go out of the library.",
      inputSchema: z.object({}),
      execute: () => "bye",
    }),
  };
}

function subject(
  name: string,
  wrap: (source: ReturnType<typeof aiSource>) => ReturnType<Manifest["create"]>,
  named: (original: string) => string,
): Manifest {
  const sources = new WeakMap<object, { shelves: number; refresh: () => Promise<void> }>();
  return {
    name,
    create: () => {
      const state = { shelves: 4, refresh: () => Promise.resolve() };
      const source = aiSource(() => library(state.shelves), {
        annotations: {
          get_book: { readOnlyHint: true },
          bind_book: { streamingHint: true },
        },
      });
      state.refresh = () => source.refresh();
      const wrapped = wrap(source);
      sources.set(wrapped, state);
      return wrapped;
    },
    samples: {
      succeedingCalls: [
        { tool: named("get_book"), arguments: { id: 1 } },
        { tool: named("show_cover"), arguments: {} },
        { tool: named("visit_shelf"), arguments: { shelf: 2 } },
      ],
      failingCalls: [{ tool: named("get_book"), arguments: { id: 7 } }],
      slowCalls: [{ tool: named("take_inventory"), arguments: {} }],
      effectCalls: [
        { tool: named("add_book"), arguments: { title: "Emma" }, count: () => added.length },
      ],
      suspendingCalls: [
        {
          tool: named("ask_librarian"),
          arguments: { question: "Where?" },
          answer: ({ id }) => ({ type: "result", requestId: id, value: "Upstairs." }),
        },
      ],
      updatingCalls: [{ tool: named("bind_book"), arguments: { sheets: 3 } }],
      largeCalls: [{ tool: named("read_book"), arguments: {}, bytes: 380_000 }],
    },
    generatedCalls: [named("get_book"), named("show_cover"), named("bind_book")],
    state: () => added,
    change: async (source) => {
      const state = sources.get(source);
      if (state === undefined) throw new Error("It is not one of these sources.");
      state.shelves += 1;
      await state.refresh();
    },
    without: { secrets: "the SDK's tools keep their own", outage: "they are in this process" },
  };
}

conformance(
  subject(
    "the AI SDK's tools",
    (source) => source,
    (name) => name,
  ),
);

conformance(
  subject(
    "the AI SDK's tools, with a prefix and a filter",
    (source) =>
      prefix(
        filter(source, ({ spec }) => spec.name !== "leave"),
        "town",
      ),
    (name) => `town__${name}`,
  ),
);
