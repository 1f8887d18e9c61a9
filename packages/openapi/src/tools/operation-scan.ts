import { visibleText, type SourceProblem } from "@toolweave/core/adapter";
import { findingProblem, scanSpec, scanText, twinProblems } from "@toolweave/core/scan";
import type { SpecFinding } from "@toolweave/core/scan";
import type { OperationTool } from "./operation-tool.ts";

/** Maximum number of characters of one document that are scanned. */
const maxCharacters = 5_000_000;
/** Maximum number of characters of one text: a longer one is not listed in full. */
const maxText = 2_000;

/** The findings in one tool's texts. */
interface Scanned {
  /** True if its schemas were scanned too. */
  readonly isComplete: boolean;
  readonly problems: readonly SourceProblem[];
}

/**
 * Scans the texts of a document's operations for prompt injection, and for names that look alike. It runs when problems
 * are read, once for each text; for an operation that was not needed yet it scans only the summary and the description,
 * so that no schemas have to be created.
 */
export class OperationScan {
  readonly #scanned = new WeakMap<OperationTool, Scanned>();
  #tools: readonly OperationTool[] | undefined;
  #lookAlikes: readonly SourceProblem[] = [];
  #charactersLeft = maxCharacters;

  /** Returns the findings in `tools`, as warnings. The same list of tools is compared only once. */
  problems(tools: readonly OperationTool[]): readonly SourceProblem[] {
    if (tools !== this.#tools) {
      this.#tools = tools;
      this.#lookAlikes = twinProblems(
        tools,
        tools.map((tool) => tool.state.operation.operationId ?? tool.spec.name),
      );
    }
    return [...this.#lookAlikes, ...tools.flatMap((tool) => this.#scan(tool))];
  }

  #scan(tool: OperationTool): readonly SourceProblem[] {
    const known = this.#scanned.get(tool);
    const { operation, isRealised } = tool.state;
    if (known !== undefined && (known.isComplete || !isRealised)) return known.problems;
    if (this.#charactersLeft <= 0) return known?.problems ?? [];
    const findings = isRealised ? this.#scanSpec(tool) : this.#scanTexts(tool);
    const problems = findings.map((finding) => {
      const { message, severity } = findingProblem(tool.spec, finding, "document") as SourceProblem;
      const subject = visibleText(`${operation.method} ${operation.path}`);
      return { subject, message, pointer: operation.pointer, ...(severity && { severity }) };
    });
    this.#scanned.set(tool, { isComplete: isRealised, problems });
    return problems;
  }

  #scanSpec({ spec }: OperationTool): readonly SpecFinding[] {
    const { inputSchema, outputSchema, title, description } = spec;
    // Without metadata, which comes from the adapter and not from the document.
    const scanned = { ...spec, inputSchema, title, description, metadata: undefined };
    this.#charactersLeft -= JSON.stringify([inputSchema, outputSchema]).length;
    return scanSpec({
      ...scanned,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    } as never);
  }

  #scanTexts(tool: OperationTool): readonly SpecFinding[] {
    const { summary = "", description = "", operationId = "" } = tool.state.operation;
    const name = operationId.replace(/[_.-]+/g, " ");
    const text = [name, summary, description]
      .map((one) => visibleText(one.slice(0, maxText)))
      .join("\n");
    this.#charactersLeft -= text.length;
    return scanText(text).map((finding) => ({ ...finding, pointer: "/description" }));
  }
}
