import type { ProviderView } from "@toolweave/console";
import { useResource } from "../api/resource.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { JsonView } from "../ui/json-view.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";

const providers = [
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["gemini", "Gemini"],
  ["bedrock", "Bedrock"],
  ["mcp", "MCP"],
] as const;

/** The definition as each model API receives it. */
export function ModelTab({ name }: { name: string }) {
  const chosen = queryValue("provider") || "openai";
  const resource = useResource<ProviderView>(
    `/api/tools/${encodeURIComponent(name)}/as/${encodeURIComponent(chosen)}`,
  );
  return (
    <>
      <div class="segmented" role="group" aria-label="Model API">
        {providers.map(([id, title]) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === chosen}
            onClick={() => setQuery({ provider: id === "openai" ? "" : id })}
          >
            {title}
          </button>
        ))}
      </div>
      <Loaded resource={resource}>{(view) => <Definition view={view} tool={name} />}</Loaded>
    </>
  );
}

function Definition({ view, tool }: { view: ProviderView; tool: string }) {
  return (
    <>
      {view.problems.map((problem) => (
        <p key={problem} class="notice warning">
          {safeProse(problem)}
        </p>
      ))}
      {view.omitted ? (
        <EmptyState title="The model does not see this tool">
          <p>The definition cannot be expressed for this API.</p>
        </EmptyState>
      ) : (
        <>
          <p class="model-facts muted">
            {view.name === tool ? null : (
              <>
                Sent as <code class="code">{safeLine(view.name)}</code>,{" "}
              </>
            )}
            about {formatCount(view.tokens, "token")} (4 characters a token)
          </p>
          <JsonView value={view.definition} label="Definition as the model receives it" />
        </>
      )}
    </>
  );
}
