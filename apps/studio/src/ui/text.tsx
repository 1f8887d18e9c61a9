import { safeLine, safeText, safeUrl } from "../text/safe-text.ts";

/** A name, a path or a target from outside. */
export function Code({ text, title }: { text: string; title?: string }) {
  return (
    <code class="code" {...(title === undefined ? {} : { title: safeLine(title) })}>
      {safeLine(text)}
    </code>
  );
}

/** Text from outside with its line breaks. It is never read as markup. */
export function TextBlock({ text }: { text: string }) {
  return (
    <pre class="text-block" tabIndex={0}>
      {safeText(text)}
    </pre>
  );
}

/** A URL from outside: a link if it is `http` or `https`, with its host in view; text otherwise. */
export function ExternalLink({ url }: { url: string }) {
  const safe = safeUrl(url);
  if (safe === undefined) return <Code text={url} />;
  return (
    <span class="external">
      <a href={safe.href} target="_blank" rel="noopener noreferrer">
        {safeLine(safe.href)}
      </a>{" "}
      <span class="muted">opens {safeLine(safe.host)} in a new tab</span>
    </span>
  );
}
