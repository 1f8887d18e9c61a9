import { useEffect, useState } from "preact/hooks";
import type { JsonValue } from "@toolweave/core";
import type { ContentView } from "../contract/contract.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Code, ExternalLink, TextBlock } from "../ui/text.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { decodeBase64, imageType } from "./image-type.ts";

/** The maximum length of text that is read as JSON to be displayed as a tree. */
const maxJsonLength = 2_000_000;

/** One piece of a result. Everything is text, but for images whose bytes are those of an image. */
export function ContentBlock({ block }: { block: ContentView }) {
  const { type, text, resource, uri } = block;
  if (type === "text" && text !== undefined) return <TextOrJson text={text} />;
  if (resource !== undefined) {
    return (
      <div>
        <p>
          Resource <Code text={resource.uri} />
        </p>
        {resource.text !== undefined && <TextOrJson text={resource.text} />}
      </div>
    );
  }
  if (uri !== undefined) {
    return (
      <p>
        Link to{" "}
        {block.title === undefined ? safeLine(block.name ?? "a resource") : safeLine(block.title)}:{" "}
        <ExternalLink url={uri} />
      </p>
    );
  }
  return <Binary block={block} />;
}

function TextOrJson({ text }: { text: string }) {
  const json = parseJson(text);
  return json === undefined ? <TextBlock text={text} /> : <JsonView value={json} label="Content" />;
}

/** Text that is a JSON object or array. */
function parseJson(text: string): JsonValue | undefined {
  if (text.length > maxJsonLength || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function Binary({ block }: { block: ContentView }) {
  const { dataUrl, data, bytes, name } = block;
  const mediaType = block.mediaType ?? block.mimeType ?? "application/octet-stream";
  const base64 = data ?? /^data:[^,]*;base64,(.*)$/s.exec(dataUrl ?? "")?.[1];
  return (
    <figure class="binary">
      {base64 !== undefined && <Image base64={base64} name={name ?? "Image of the result"} />}
      <figcaption class="muted">
        {safeLine(block.type)} {safeLine(mediaType)}
        {bytes === undefined ? "" : `, ${formatBytes(bytes)}`}
      </figcaption>
    </figure>
  );
}

/** An image, if its first bytes are those of one. The data is displayed from a `blob:` URL. */
export function Image({ base64, name }: { base64: string; name: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = decodeBase64(base64);
    const type = bytes === undefined ? undefined : imageType(bytes);
    if (bytes === undefined || type === undefined) return;
    const created = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [base64]);
  if (url === undefined) return <p class="muted">The bytes are no image that can be displayed.</p>;
  return <img class="image" src={url} alt={safeLine(name)} />;
}
