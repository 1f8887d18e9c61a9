import { join } from "node:path";
import { ToolRegistry, type Tool, type Toolset } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";
import { specs } from "../../../../packages/openapi/corpus/documents.ts";
import { lightStem, plainWords } from "./plain-bm25.ts";
import type { Question } from "./questions.ts";

const documents = [
  "github-api-3.0.json",
  "stripe-2023-09.yaml",
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
];

/** The 2,350 operations of GitHub, Stripe and DigitalOcean. */
export async function operations(): Promise<Toolset> {
  const sources = documents.map((path) => openApiSource.fromFile(join(specs, path)));
  const registry = new ToolRegistry(sources);
  await registry.ready;
  return registry.toolset();
}

/**
 * For each operation its summary (where it has none, the first sentence of its description) without
 * the words of its name, in any form; operations of which nothing is left are left out.
 */
export function operationQuestions(tools: Iterable<Tool>): readonly Question[] {
  const questions: Question[] = [];
  for (const { spec } of tools) {
    const named = new Set(plainWords(spec.name).map(lightStem));
    const rest = plainWords(spec.title ?? firstSentence(spec.description)).filter(
      (word) => !named.has(lightStem(word)),
    );
    if (rest.some((word) => word.length > 3)) {
      questions.push({ text: rest.join(" "), tools: [spec.name] });
    }
  }
  return questions;
}

function firstSentence(text: string): string {
  return text.replace(/<[^>]*>/g, " ").split(/(?<=\.)\s|\n/, 1)[0] ?? "";
}
