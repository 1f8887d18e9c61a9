import { visibleText, type SourceProblem } from "@toolweave/core";
import { findingProblem, scanSpec, scanText, twinProblems } from "@toolweave/core/scan";
import type { SpecFinding } from "@toolweave/core/scan";
import type { OperationTool } from "./operation-tool.ts";

/** Characters of one document that are scanned. */
const maxCharacters = 5_000_000;
/** Of one text: what is longer is not shown to a model. */
const maxText = 2_000;

/** What is known of one tool's texts. */
interface Scanned {
  /** Its schemas were scanned, too. */
  readonly isComplete: boolean;
  readonly problems: readonly SourceProblem[];
}

/**
 * Scans what a document says of its operations for texts that seem to give the model orders, and for names that look
 * alike. Only when somebody asks for problems, each text once, and of an operation that nobody has needed yet its
 * summary and description alone: schemas are not made for it.
 */
export class OperationScan {
  readonly #scanned = new WeakMap<OperationTool, Scanned>();
  #tools: readonly OperationTool[] | undefined;
  #twins: readonly SourceProblem[] = [];
  #charactersLeft = maxCharacters;

  /** The findings in `tools`, as warnings. The same list of tools is compared once. */
  problems(tools: readonly OperationTool[]): readonly SourceProblem[] {
    if (tools !== this.#tools) {
      this.#tools = tools;
      this.#twins = twinProblems(
        tools,
        tools.map((tool) => tool.state.operation.operationId ?? tool.spec.name),
      );
    }
    return [...this.#twins, ...tools.flatMap((tool) => this.#problemsOf(tool))];
  }

  #problemsOf(tool: OperationTool): readonly SourceProblem[] {
    const known = this.#scanned.get(tool);
    const { operation, isRealised } = tool.state;
    if (known !== undefined && (known.isComplete || !isRealised)) return known.problems;
    if (this.#charactersLeft <= 0) return known?.problems ?? [];
    const findings = isRealised ? this.#inSpec(tool) : this.#inTexts(tool);
    const problems = findings.map((finding) => {
      const { message, severity } = findingProblem(tool.spec, finding, "document") as SourceProblem;
      const subject = visibleText(`${operation.method} ${operation.path}`);
      return { subject, message, pointer: operation.pointer, ...(severity && { severity }) };
    });
    this.#scanned.set(tool, { isComplete: isRealised, problems });
    return problems;
  }

  #inSpec({ spec }: OperationTool): readonly SpecFinding[] {
    const { inputSchema, outputSchema, title, description } = spec;
    // Without metadata, which is what the adapter itself says of the operation.
    const scanned = { ...spec, inputSchema, title, description, metadata: undefined };
    this.#charactersLeft -= JSON.stringify([inputSchema, outputSchema]).length;
    return scanSpec({
      ...scanned,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    } as never);
  }

  #inTexts(tool: OperationTool): readonly SpecFinding[] {
    const { summary = "", description = "", operationId = "" } = tool.state.operation;
    const name = operationId.replace(/[_.-]+/g, " ");
    const text = [name, summary, description]
      .map((one) => visibleText(one.slice(0, maxText)))
      .join("\n");
    this.#charactersLeft -= text.length;
    return scanText(text).map((finding) => ({ ...finding, pointer: "/description" }));
  }
}
