import type { Contender } from "../contender.ts";
import { floor } from "./floor.ts";
import { langchain } from "./langchain.ts";
import { mastra } from "./mastra.ts";
import { openai } from "./openai.ts";
import { toolweave } from "./toolweave.ts";

/** The baseline first. */
export const contenders: readonly Contender[] = [
  floor,
  ...toolweave,
  ...mastra,
  ...openai,
  ...langchain,
];
