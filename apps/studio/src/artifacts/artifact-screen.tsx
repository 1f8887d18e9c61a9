import type { ArtifactMatches, ArtifactPage } from "@toolweave/console";
import { useState } from "preact/hooks";
import { send, withQuery } from "../api/client.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError, useResource } from "../api/resource.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { Image } from "../results/content-block.tsx";
import { formatBytes, formatCount } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, ErrorState, Loaded } from "../ui/states.tsx";
import { TextBlock } from "../ui/text.tsx";
import { RelativeTime } from "../ui/time.tsx";

const pageBytes = 32_768;

/** A stored output: its text page by page, its search, its image, its bytes as a file. */
export function ArtifactScreen({ id = "" }: { id?: string }) {
  const base = `/api/artifacts/${encodeURIComponent(id)}`;
  const offset = Number(queryValue("offset")) || 0;
  const resource = useResource<ArtifactPage>(withQuery(base, { offset, length: pageBytes }));
  return (
    <Loaded resource={resource}>
      {(page) => (
        <>
          <ScreenHeader
            title={<span class="mono">{safeLine(page.key)}</span>}
            detail={
              <>
                {safeLine(page.mediaType)}, {formatBytes(page.bytes)}, stored{" "}
                <RelativeTime time={page.createdAt} />
                {page.expiresAt !== undefined && (
                  <>
                    , expires <RelativeTime time={page.expiresAt} />
                  </>
                )}
              </>
            }
            actions={<Download path={`${base}/bytes`} name={page.key} />}
          />
          {page.image !== undefined && (
            <Image base64={page.image.dataUrl.replace(/^[^,]*,/, "")} name={page.key} />
          )}
          {page.text !== undefined && (
            <>
              <Search base={base} />
              <Pager page={page} />
              <TextBlock text={page.text} />
              <Pager page={page} />
            </>
          )}
          {page.text === undefined && page.image === undefined && (
            <EmptyState title="The content is binary">
              <p>Download it to open it in another program.</p>
            </EmptyState>
          )}
        </>
      )}
    </Loaded>
  );
}

function Pager({ page: { offset, nextOffset, bytes } }: { page: ArtifactPage }) {
  const end = nextOffset ?? bytes;
  if (offset === 0 && nextOffset === undefined) return null;
  return (
    <div class="pager">
      <button
        type="button"
        class="button small"
        disabled={offset === 0}
        onClick={() => setQuery({ offset: String(Math.max(0, offset - pageBytes) || "") })}
      >
        Previous
      </button>
      <span class="muted">
        bytes {offset.toLocaleString("en")} to {end.toLocaleString("en")} of{" "}
        {bytes.toLocaleString("en")}
      </span>
      <button
        type="button"
        class="button small"
        disabled={nextOffset === undefined}
        onClick={() => setQuery({ offset: String(nextOffset ?? "") })}
      >
        Next
      </button>
    </div>
  );
}

function Search({ base }: { base: string }) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const path = asked === "" ? undefined : withQuery(`${base}/search`, { q: asked });
  const resource = useResource<ArtifactMatches>(path);
  return (
    <form
      class="artifact-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(text.trim());
      }}
    >
      <input
        class="input"
        type="search"
        data-search
        aria-label="Search in the artifact"
        placeholder="Search in the artifact"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="button">
        Search
      </button>
      {asked !== "" && (
        <Loaded resource={resource}>
          {({ items, nextOffset }) => (
            <div class="artifact-hits">
              <p class="muted">
                {formatCount(items.length, "match", "matches")}
                {nextOffset !== undefined && ", and more further on"}
              </p>
              <ul>
                {items.map((hit) => (
                  <li key={hit.offset}>
                    <button
                      type="button"
                      class="button small quiet"
                      onClick={() => setQuery({ offset: String(hit.offset || "") })}
                    >
                      line {hit.line.toLocaleString("en")}
                    </button>{" "}
                    <code class="code">{safeLine(hit.text)}</code>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </Loaded>
      )}
    </form>
  );
}

/** Saves the bytes: the request needs the token, so that a plain link cannot. */
function Download({ path, name }: { path: string; name: string }) {
  const [error, setError] = useState<ApiError>();
  const download = async (): Promise<void> => {
    try {
      const blob = await (await send(path)).blob();
      const url = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = name.replaceAll(/[^\w.-]+/g, "_");
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (refused) {
      setError(toApiError(refused));
    }
  };
  return (
    <>
      {error !== undefined && <ErrorState error={error} />}
      <button type="button" class="button" onClick={() => void download()}>
        Download
      </button>
    </>
  );
}
