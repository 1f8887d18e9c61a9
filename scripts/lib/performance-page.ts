import type { SavedTable } from "../../bench/lib/table.ts";

const intro = `# Performance

What calls, lists, imports and gateways cost, beside a floor and beside other packages. Every table is
of one run, in which all contenders take turns: compare the ratios, since the machine's speed changes
from run to run. The benchmarks are in [bench](../../bench/README.md), and this page is written from
their results by \`node scripts/performance-page.ts\`.
`;

/** The page of these results. */
export function performancePage(tables: readonly SavedTable[]): string {
  return [intro, ...tables.map(toSection)].join("\n");
}

function toSection(table: SavedTable): string {
  const { title, meaning, page, date, commit, node, machine, versions, columns, rows } = table;
  const measured = [`commit ${commit}`, `Node.js ${node}`, machine];
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `## ${title}

${meaning} [More](../../${page}).

${date}, ${[...measured, ...peers].join(", ")}.

${[columns, columns.map(() => "---"), ...rows].map(toLine).join("\n")}
`;
}

const toLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
