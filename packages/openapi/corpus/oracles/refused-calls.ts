/**
 * Calls that are rightly refused before anything is sent, or that are sent on purpose although an
 * oracle rejects them, by document: the beginning of the line about them.
 */
export const refusedCalls: Readonly<Record<string, readonly string[]>> = {
  "readme-circular-paths-3.0.json": [
    // A list of objects in a header: `simple` has no form for nested values (RFC 6570 section 2.3).
    'PUT /anything (all) was not sent: "content"',
  ],
  "oas-media-type-examples-3.2.yaml": [
    // The sample has the members of all media types, and the chosen one does not have this member.
    'PUT /something (all) was not sent: "id" cannot be sent as multipart/related',
  ],
  "scalar-galaxy-3.1.yaml": [
    // A read-only property that is required may be sent since OpenAPI 3.1 ("Validating readOnly and writeOnly").
    "POST /planets (all), prism: body [additionalProperties]",
    "PUT /planets/{planetId} (all), prism: body [additionalProperties]",
  ],
};
