import { defineTool, ToolError, type JsonObject, type Tool } from "@toolweave/core";
import type { HookArtifact, ToolArtifact } from "../artifact/artifact.ts";
import { readInlineArtifact } from "../artifact/read-artifact.ts";

/** A tool or a hook that a script has registered, and the run that it belongs to. */
export interface Registration {
  readonly artifact: ToolArtifact | HookArtifact;
  readonly runId: string;
}

const maxTools = 50;
const maxHooks = 30;

/** Hooks of files come before those that a script registers. */
const minPriority = 50;

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * The tools and hooks that scripts register while they run. A person has to approve each one, they apply to their own run
 * alone, and end with it: see `end`.
 */
export class Registrations {
  readonly #isTaken: (kind: "tool" | "hook", name: string) => boolean;
  readonly #onChange: () => void;
  #all: readonly Registration[] = [];
  /** The local tool behind `meta.tool_register` and `meta.hook_register`. */
  readonly tool: Tool;

  /**
   * @param isTaken whether a file has a tool or a hook of that name.
   * @param onChange called after each change.
   */
  constructor(isTaken: (kind: "tool" | "hook", name: string) => boolean, onChange: () => void) {
    this.#isTaken = isTaken;
    this.#onChange = onChange;
    this.tool = defineTool({
      name: "meta_register",
      description: "Register a tool or a hook for the rest of the run.",
      input: {
        type: "object",
        properties: {
          kind: { type: "string", enum: ["tool", "hook"] },
          definition: {
            type: "object",
            properties: { name: { type: "string" } },
            required: ["name"],
          },
        },
        required: ["kind", "definition"],
        additionalProperties: false,
      },
      annotations: { destructiveHint: false, openWorldHint: false },
      preflight: ({ kind, definition }) => {
        const { name } = this.#read(kind, definition as JsonObject);
        return [
          {
            kind: `custom.register_${kind}`,
            target: name,
            summary: `Register the ${kind} ${name}, which a script has written, for this run`,
            details: definition as JsonObject,
          },
        ];
      },
      execute: ({ kind, definition }, { runId }) => {
        const artifact = this.#read(kind, definition as JsonObject);
        this.#all = [...this.#all, { artifact, runId }];
        this.#onChange();
        return { registered: artifact.name };
      },
    });
  }

  #exists(kind: "tool" | "hook", name: string): boolean {
    return (
      this.#isTaken(kind, name) ||
      this.#all.some(({ artifact }) => artifact.kind === kind && artifact.name === name)
    );
  }

  get all(): readonly Registration[] {
    return this.#all;
  }

  /** Removes the tools and hooks of a run. */
  end(runId: string): void {
    const before = this.#all.length;
    this.#all = this.#all.filter((each) => each.runId !== runId);
    if (this.#all.length < before) this.#onChange();
  }

  /** @throws ToolError `invalid_arguments` for a definition that is none, `limit_exceeded` for one too many. */
  #read(kind: "tool" | "hook", definition: JsonObject): ToolArtifact | HookArtifact {
    const name = String(definition["name"]);
    if (!namePattern.test(name)) {
      throw invalid(
        `The name of a registered ${kind} has small letters, digits, _ and - only, and begins with a letter.`,
      );
    }
    if (this.#exists(kind, name)) throw invalid(`There is a ${kind} "${name}" already.`);
    const max = kind === "tool" ? maxTools : maxHooks;
    if (this.#all.filter(({ artifact }) => artifact.kind === kind).length >= max) {
      throw new ToolError("limit_exceeded", `Scripts have registered ${max} ${kind}s already.`);
    }
    const place = { file: `registered/${name}`, line: 1, column: 1 };
    const { artifact, findings } = readInlineArtifact(kind, definition, place);
    if (artifact === undefined) {
      throw invalid(
        `The ${kind} "${name}" is not valid: ${findings.map(({ message }) => message).join("; ")}.`,
      );
    }
    return artifact.kind === "hook"
      ? { ...artifact, priority: Math.max(minPriority, artifact.priority) }
      : artifact;
  }
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_arguments", message);
}
