// How well tool search finds, by words and by words and meaning, beside plain BM25 and Mastra's search, on the questions
// that it was tuned on and on those that were held out:
//   node --conditions=@toolweave/source apps/cli/bench/search-recall.ts
// Tools and questions are read from ../shared. It takes some minutes, most of them in the embedding model.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ToolRegistry, type Toolset } from "@toolweave/core";
import { HybridToolIndex, ToolIndex, type ToolEmbedder } from "@toolweave/core/search";
import { metaTools, multiQuestions, singleQuestions } from "../corpus/search/metatool.ts";
import { newcomerQuestions } from "../corpus/search/newcomer-questions.ts";
import { operationQuestions, operations } from "../corpus/search/operations.ts";
import { plainBm25 } from "../corpus/search/plain-bm25.ts";
import {
  countAnswered,
  measureRecall,
  splitQuestions,
  type Find,
  type Question,
} from "../corpus/search/questions.ts";
import { sampleQuestions } from "./sample-questions.ts";

const seed = 1;
// The command line does not depend on the model.
const { energeticEmbedder } = (await import(
  new URL("../../../packages/embeddings/src/index.ts", import.meta.url).href
)) as { energeticEmbedder(): ToolEmbedder };
const embedder = energeticEmbedder();

function byWords(toolset: Toolset): Find {
  const index = new ToolIndex();
  index.update(toolset);
  return (text, limit) => index.search(text, limit).map(({ name }) => name);
}

function byWordsAndMeaning(toolset: Toolset): Find {
  const index = new HybridToolIndex(embedder);
  index.update(toolset);
  return async (text, limit) => {
    const { matches, warnings } = await index.search(text, limit);
    if (warnings.length > 0) throw new Error(warnings.join(" "));
    return matches.map(({ name }) => name);
  };
}

/** The members of Mastra's modules that are used. */
interface Mastra {
  readonly createTool: (definition: object) => object;
  readonly ToolSearchProcessor: new (options: object) => {
    processInputStep(step: object): Promise<{ tools: { search_tools: MastraSearch } }>;
  };
}

interface MastraSearch {
  execute(input: { query: string }, context: object): Promise<{ results: { name: string }[] }>;
}

/** Mastra's processor, as an agent uses it: its search tool is called with the question. */
async function byMastra(toolset: Toolset): Promise<Find> {
  // The version that the integration is tested with.
  const require = createRequire(new URL("../../../packages/mastra/package.json", import.meta.url));
  const load = (name: string): Promise<Mastra> =>
    import(pathToFileURL(require.resolve(name)).href) as Promise<Mastra>;
  const [{ ToolSearchProcessor }, { createTool }] = await Promise.all([
    load("@mastra/core/processors"),
    load("@mastra/core/tools"),
  ]);
  const tools = Object.fromEntries(
    Array.from(toolset, ({ spec: { name, description } }) => [
      name,
      createTool({ id: name, description, execute: () => Promise.resolve(name) }),
    ]),
  );
  const processor = new ToolSearchProcessor({ tools, search: { topK: 10 } });
  const { tools: offered } = await processor.processInputStep({
    tools: {},
    messageList: { addSystem: () => {} },
    messages: [],
    stepNumber: 0,
  });
  return async (text, limit) => {
    const { results } = await offered.search_tools.execute({ query: text }, {});
    return results.slice(0, limit).map(({ name }) => name);
  };
}

const widths = [46, 10, 13, 13, 13, 13];

function row(cells: readonly (string | number)[]): void {
  console.log(cells.map((cell, place) => String(cell).padEnd(widths[place] ?? 0)).join(" "));
}

async function createFinders(toolset: Toolset): Promise<readonly Find[]> {
  return [
    plainBm25(Array.from(toolset)),
    await byMastra(toolset),
    byWords(toolset),
    byWordsAndMeaning(toolset),
  ];
}

async function recallRow(
  name: string,
  questions: readonly Question[],
  finders: readonly Find[],
): Promise<void> {
  const cells: string[] = [];
  for (const find of finders) {
    const { at5, at10 } = await measureRecall(questions, find);
    cells.push(`${at5.toFixed(1)} / ${at10.toFixed(1)}`);
  }
  row([name, questions.length, ...cells]);
}

row(["recall at 5 / 10 in %", "questions", "plain BM25", "Mastra", "words", "and meaning"]);
const meta = new ToolRegistry(metaTools()).toolset();
const metaFinders = await createFinders(meta);
const api = await operations();
const apiFinders = await createFinders(api);
for (const [name, finders, questions] of [
  ["MetaTool, one tool", metaFinders, sampleQuestions(singleQuestions(), 3000, seed)],
  ["MetaTool, two tools", metaFinders, multiQuestions()],
  ["2,350 operations, words not in the name", apiFinders, operationQuestions(api)],
] as const) {
  const { tuned, heldOut } = splitQuestions(questions);
  await recallRow(`${name}: tuned`, tuned, finders);
  await recallRow(`${name}: held out`, heldOut, finders);
}

console.log();
row(["newcomers' questions, right in the first 3", "questions", "", "", "", ""]);
for (const { document, part, questions } of newcomerQuestions) {
  const names = Array.from(api)
    .filter(({ spec }) => spec.provenance.source?.toLowerCase().includes(`/${document}`) === true)
    .map(({ spec }) => spec.name);
  const finders = await createFinders(api.select({ include: names }));
  const counts: number[] = [];
  for (const find of finders) counts.push(await countAnswered(questions, find));
  row([`${document}, ${names.length} operations: ${part}`, questions.length, ...counts]);
}
