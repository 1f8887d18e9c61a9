import { styleText } from "node:util";
import type { ScenarioResult } from "./scenarios/scenario.ts";

/** A scenario that could not run here. */
export interface SkippedScenario {
  readonly scenario: string;
  readonly skipped: string;
}

/** How a stream shows colours: `NO_COLOR` and a stream that is no terminal show none. */
function paint(
  stream: NodeJS.WriteStream,
  format: "red" | "green" | "yellow",
  text: string,
): string {
  return styleText(format, text, { stream, validateStream: true });
}

/** The figures of a run, and the command that repeats it if something is wrong. */
export function formatResult(
  stream: NodeJS.WriteStream,
  result: ScenarioResult,
  seconds: number,
): string {
  const { scenario, seed, violations, details = {} } = result;
  const isRight = violations.length === 0;
  const figures = [
    `seed ${seed}`,
    `${result.seconds} s`,
    `${result.operations} operations`,
    `${result.effects} effects`,
    `${result.kills} kills`,
    `${result.restarts} restarts`,
    `${result.lostAnswers} lost answers`,
    `${result.unknowns} unknown`,
    paint(stream, isRight ? "green" : "red", `${violations.length} violations`),
  ];
  const lines = [`${scenario.padEnd(10)} ${figures.join(", ")}`];
  const more = Object.entries(details).map(([name, count]) => `${name} ${count}`);
  if (more.length > 0) lines.push(`${" ".repeat(11)}${more.join(", ")}`);
  if (isRight) return `${lines.join("\n")}\n`;
  const listed = violations.slice(0, 20);
  lines.push(
    ...listed.map(({ invariant, text }) => `  ${paint(stream, "red", invariant)} ${text}`),
  );
  if (violations.length > listed.length)
    lines.push(`  and ${violations.length - listed.length} more`);
  lines.push(`  Repeat it: pnpm chaos ${scenario} --seconds ${seconds} --seed ${seed}`);
  return `${lines.join("\n")}\n`;
}

/** Why a scenario could not run here. */
export function formatSkipped(
  stream: NodeJS.WriteStream,
  { scenario, skipped }: SkippedScenario,
): string {
  return `${scenario.padEnd(10)} ${paint(stream, "yellow", "skipped")}: ${skipped}\n`;
}
