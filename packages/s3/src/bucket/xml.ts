const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** The text of the first element with that name in an answer of S3; `undefined`: there is none. */
export function readElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(
    /&(lt|gt|amp|quot|apos);/g,
    (_all, entity: string) => entities[entity] ?? "",
  );
}

/** The contents of all elements with that name, which must not contain elements of the same name. */
export function readElements(xml: string, name: string): readonly string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.split(`</${name}>`)[0] ?? "");
}
