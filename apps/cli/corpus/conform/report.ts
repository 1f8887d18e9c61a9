import { runConformance, type Manifest } from "@toolweave/conformance";
import { documentManifest } from "./document-manifest.ts";
import { documentNames } from "./documents.ts";
import { serverManifests } from "./mcp-servers.ts";

// The kit over tools that others wrote, as a table with what each breaks. By hand:
// node --conditions=@toolweave/source apps/cli/corpus/conform/report.ts [part of a name…]
const asked = process.argv.slice(2);
const isAsked = (name: string): boolean =>
  asked.length === 0 || asked.some((part) => name.includes(part));

const lines: string[] = [];
const head = ["subject".padEnd(46), "tools", "passed", "broken", "n/a", "seconds"].join("\t");
process.stdout.write(`${head}\n`);
for (const name of documentNames.filter(isAsked)) {
  const { manifest, operations, close } = await documentManifest(name);
  await report(manifest, operations);
  await close();
}
for (const make of serverManifests) {
  const { manifest, close } = make();
  if (isAsked(manifest.name)) await report(manifest, await countTools(manifest));
  close();
}
process.stdout.write(`${lines.join("\n")}\n`);

async function report(manifest: Manifest, tools: number): Promise<void> {
  const { rules, passed, failed, notApplicable, durationMs } = await runConformance(manifest);
  const seconds = (durationMs / 1_000).toFixed(1);
  const row = [manifest.name.padEnd(46), tools, passed, failed, notApplicable, seconds].join("\t");
  process.stdout.write(`${row}\n`);
  for (const { id, level, status, message, seen } of rules) {
    if (status === "failed") {
      lines.push(`\n${manifest.name}: ${id} (${level})\n  ${message}\n  ${seen ?? ""}`);
    }
  }
}

async function countTools({ create }: Manifest): Promise<number> {
  const made = await create();
  if (!("tools" in made)) return made.length;
  await made.ready;
  const { length } = made.tools();
  await made.close();
  return length;
}
