import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { toArguments, type NeighbourDocument } from "./neighbours.ts";
import {
  checkCall,
  getOracles,
  type CheckedCall,
  type CheckedDocument,
} from "../oracles/check-document.ts";
import { toolweave } from "../oracles/toolweave.ts";

/** The results of generated neighbours, and the names of the oracles. */
export interface CheckedNeighbours extends CheckedDocument {
  readonly oracles: readonly string[];
}

/**
 * Calls the generated neighbours that have a request, and checks it with all oracles. These read schemas by the letter,
 * so that they get the documents with what the authors must mean.
 */
export async function checkNeighbours({
  version,
  document,
  meant,
  neighbours,
}: NeighbourDocument): Promise<CheckedNeighbours> {
  await using server = await RecordingServer.start();
  const folder = await mkdtemp(join(tmpdir(), "toolweave-neighbours-"));
  try {
    const file = join(folder, "neighbours.json");
    await writeFile(file, JSON.stringify(document));
    const meantFile = join(folder, "meant.json");
    await writeFile(meantFile, JSON.stringify(meant));
    const oracles = await getOracles(meantFile);
    const { tools, close } = await toolweave.open(file, server.origin);
    const byPath = new Map(tools.map((tool) => [tool.operation?.path, tool]));
    const calls: CheckedCall[] = [];
    for (const neighbour of neighbours) {
      const tool = byPath.get(neighbour.path);
      // A refused call has no request; neighbours.test.ts checks that it is refused.
      if (neighbour.wire === undefined || tool === undefined) continue;
      const sample = { args: toArguments(neighbour, tool.inputSchema), missing: [] };
      const call = await checkCall(tool, "all", sample, server, oracles);
      calls.push({ ...call, operation: `${neighbour.name} (${call.operation})` });
    }
    await close();
    return {
      document: `neighbours in ${version}`,
      operations: tools.length,
      called: calls.length,
      calls,
      oracles: oracles.map(({ name }) => name),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
