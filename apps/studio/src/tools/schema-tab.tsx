import type { ToolDetails } from "@toolweave/console";
import type { JsonValue } from "@toolweave/core";
import { safeLine } from "../text/safe-text.ts";
import { JsonView } from "../ui/json-view.tsx";

/** The schemas of a tool and the rest of its definition. */
export function SchemaTab({ tool }: { tool: ToolDetails }) {
  const { spec, argumentsSchema, specHash } = tool;
  const { inputSchema: _, outputSchema, ...others } = spec;
  return (
    <>
      <h2>Arguments</h2>
      <JsonView value={toJson(argumentsSchema)} label="Schema of the arguments" />
      <h2>Result</h2>
      {outputSchema === undefined ? (
        <p class="muted">The tool declares no schema of its result.</p>
      ) : (
        <JsonView value={toJson(outputSchema)} label="Schema of the result" />
      )}
      <h2>Definition</h2>
      <JsonView value={toJson(others)} label="Definition" />
      <p class="muted">
        SHA-256 of the definition: <code class="code">{safeLine(specHash)}</code>
      </p>
    </>
  );
}

/** The type of a definition is narrower than JSON, which it was read from. */
function toJson(value: unknown): JsonValue {
  return value as JsonValue;
}
