import type { SearchHit } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import { useEffect, useState } from "preact/hooks";
import { withQuery } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { EmptyState, Loaded } from "../ui/states.tsx";

const debounceMs = 150;
/** As many as the search of models returns. */
const maxHits = 20;

/** The answer of the search that models use, with its scores. */
export function ModelSearch({ query }: { query: string }) {
  const [asked, setAsked] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query), debounceMs);
    return () => clearTimeout(timer);
  }, [query]);
  const text = asked.trim();
  const path = text === "" ? undefined : withQuery("/api/search", { q: text, limit: maxHits });
  const resource = useResource<Page<SearchHit>>(path);
  if (text === "") {
    return (
      <EmptyState title="Search as a model does">
        <p>Type a task in words. The answer is what the tool `search_tools` gives to a model.</p>
      </EmptyState>
    );
  }
  return (
    <Loaded resource={resource}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="A model finds nothing">
            <p>Names and descriptions of the tools have none of these words.</p>
          </EmptyState>
        ) : (
          <Hits hits={items} />
        )
      }
    </Loaded>
  );
}

function Hits({ hits }: { hits: readonly SearchHit[] }) {
  const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  return (
    <ol class="hits" aria-label="Tools that a model finds">
      {hits.map(({ name, line, score }, index) => (
        <li key={name}>
          <Link href={toPath("tools", name) + location.search} class="row-link hit">
            <span class="hit-rank">{index + 1}</span>
            <span class="tool-names">
              <span class="tool-name">{safeLine(name)}</span>
              <span class="tool-line">{safeProse(line)}</span>
            </span>
            <span class="hit-score">
              <span
                class="hit-bar"
                aria-hidden="true"
                style={{ width: `${(score / best) * 48}px` }}
              />
              <span class="visually-hidden">Score </span>
              {score.toFixed(2)}
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}
