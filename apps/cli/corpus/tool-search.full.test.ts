import { ToolRegistry, type Toolset } from "@toolweave/core";
import { ToolIndex } from "@toolweave/core/search";
import { beforeAll, describe, expect, it } from "vitest";
import { metaTools, multiQuestions, singleQuestions } from "./search/metatool.ts";
import { newcomerQuestions } from "./search/newcomer-questions.ts";
import { operationQuestions, operations } from "./search/operations.ts";
import { plainBm25 } from "./search/plain-bm25.ts";
import {
  countAnswered,
  measureRecall,
  splitQuestions,
  type Find,
  type Question,
  type Recall,
} from "./search/questions.ts";

function finder(toolset: Toolset): Find {
  const index = new ToolIndex();
  index.update(toolset);
  return (text, limit) => index.search(text, limit).map(({ name }) => name);
}

/** Floors a little below what was reached when they were written. */
function expectRecall({ at5, at10 }: Recall, floor: Recall): void {
  expect(at5).toBeGreaterThan(floor.at5);
  expect(at10).toBeGreaterThan(floor.at10);
}

describe("tool search among the 199 tools of MetaTool", () => {
  const toolset = new ToolRegistry(metaTools()).toolset();
  const find = finder(toolset);

  it("finds the one right tool of 20,614 questions", async () => {
    const questions = singleQuestions();
    expect(questions).toHaveLength(20_614);
    expectRecall(await measureRecall(questions, find), { at5: 68, at10: 74 });
  });

  it("finds three points more than plain BM25 of the tools that were held out", async () => {
    const { heldOut } = splitQuestions(singleQuestions());
    const plain = await measureRecall(heldOut, plainBm25(metaTools()));
    const found = await measureRecall(heldOut, find);
    expect(found.at5).toBeGreaterThan(plain.at5 + 3);
    expect(found.at10).toBeGreaterThan(plain.at10 + 3);
  });

  it("finds the two right tools of 497 questions", async () => {
    const questions = multiQuestions();
    expect(questions).toHaveLength(497);
    expectRecall(await measureRecall(questions, find), { at5: 68, at10: 78 });
  });
});

describe("tool search among the operations of GitHub, Stripe and DigitalOcean", () => {
  let toolset: Toolset;
  let questions: readonly Question[];

  beforeAll(async () => {
    toolset = await operations();
    questions = operationQuestions(toolset);
  });

  it("finds more of them than plain BM25, asked in the words of the summary that the name lacks", async () => {
    expect(toolset.size).toBe(2350);
    const found = await measureRecall(questions, finder(toolset));
    const plain = await measureRecall(questions, plainBm25(Array.from(toolset)));
    expectRecall(found, plain);
  });

  it.each(newcomerQuestions)(
    "answers most questions of newcomers in the first three: $document, $part",
    async ({ document, questions }) => {
      const names = Array.from(toolset)
        .filter(({ spec }) => spec.provenance.source?.toLowerCase().includes(`/${document}`))
        .map(({ spec }) => spec.name);
      const find = finder(toolset.select({ include: names }));
      const minAnswered = Math.floor(questions.length * 0.7);
      expect(await countAnswered(questions, find)).toBeGreaterThanOrEqual(minAnswered);
    },
  );

  it("finds an operation by its summary", async () => {
    const whole = Array.from(toolset).flatMap(({ spec: { name, title } }) =>
      title === undefined ? [] : [{ text: title, tools: [name] }],
    );
    expect(whole).toHaveLength(1882);
    expectRecall(await measureRecall(whole, finder(toolset)), { at5: 97, at10: 98 });
  });
});
