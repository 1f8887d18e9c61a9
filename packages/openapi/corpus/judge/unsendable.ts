/**
 * Calls that are rightly refused before anything is sent, or that are sent on purpose although a judge objects, by
 * document: how the line about them begins.
 */
export const unsendable: Readonly<Record<string, readonly string[]>> = {
  "readme-circular-paths-3.0.json": [
    // A list of objects in a header: `simple` has no form for nested values (RFC 6570 section 2.3).
    'PUT /anything (all) was not sent: "content"',
  ],
  "hey-api-full-3.1/full.yaml": [
    // Branches of `oneOf` that overlap: the arguments are checked with `anyOf`, and the server decides.
    "PUT /api/v{api-version}/complex/{id} (all), prism: body.parameters [oneOf]",
  ],
};
