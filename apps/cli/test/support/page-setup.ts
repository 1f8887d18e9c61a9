import { buildPage } from "@toolweave/studio";
import { getPageFolder } from "../../src/commands/studio/page.ts";

/** Builds the page of Studio where the command reads it, once for all tests that start it. */
export async function setup(): Promise<void> {
  await buildPage(getPageFolder());
}
