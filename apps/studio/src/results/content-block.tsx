import type { BinaryView } from "@toolweave/console";
import type { ContentBlock as Content } from "@toolweave/core";
import { useEffect, useState } from "preact/hooks";
import type { ExactJson } from "../json/node.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Code, ExternalLink, TextBlock } from "../ui/text.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { decodeBase64, imageType } from "./image-type.ts";

/** The maximum length of text that is read as JSON to be displayed as a tree. */
const maxJsonLength = 2_000_000;

/** One piece of a result. Everything is text, but for images whose bytes are those of an image. */
export function ContentBlock({ block }: { block: Content | BinaryView }) {
  if ("bytes" in block) return <Binary {...block} base64={getBase64(block)} />;
  switch (block.type) {
    case "text":
      return <TextOrJson text={block.text} />;
    case "resource_link":
      return (
        <p>
          Link to {safeLine(block.title ?? block.name)}: <ExternalLink url={block.uri} />
        </p>
      );
    case "resource": {
      const { uri, text, mimeType = "application/octet-stream", blob } = block.resource;
      if (text === undefined) {
        return <Binary type="resource" mediaType={mimeType} uri={uri} base64={blob} />;
      }
      return (
        <div>
          <p>
            Resource <Code text={uri} />
          </p>
          <TextOrJson text={text} />
        </div>
      );
    }
    default:
      return <Binary type={block.type} mediaType={block.mimeType} base64={block.data} />;
  }
}

function TextOrJson({ text }: { text: string }) {
  const json = parseContent(text);
  return json === undefined ? <TextBlock text={text} /> : <JsonView value={json} label="Content" />;
}

/** The value of text that is a JSON object or array. */
export function parseContent(text: string): ExactJson | undefined {
  return text.length > maxJsonLength || !/^\s*[[{]/.test(text) ? undefined : parseExactJson(text);
}

function getBase64({ dataUrl = "" }: BinaryView): string | undefined {
  return /^data:[^,]*;base64,(.*)$/s.exec(dataUrl)?.[1];
}

function Binary(props: {
  type: string;
  mediaType: string;
  base64: string | undefined;
  bytes?: number;
  uri?: string;
}) {
  const { type, mediaType, base64, bytes, uri } = props;
  return (
    <figure class="binary">
      {base64 !== undefined && mediaType.startsWith("image/") && (
        <Image base64={base64} name="Image of the result" />
      )}
      <figcaption class="muted">
        {safeLine(type)} {safeLine(mediaType)}
        {bytes === undefined ? "" : `, ${formatBytes(bytes)}`}
        {uri !== undefined && (
          <>
            {" "}
            <Code text={uri} />
          </>
        )}
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
