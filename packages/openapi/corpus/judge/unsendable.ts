/** Calls that are rightly refused before anything is sent, by document: how the line about them begins. */
export const unsendable: Readonly<Record<string, readonly string[]>> = {
  "hey-api-full-3.1/full.yaml": [
    // A list as application/x-www-form-urlencoded, which has named fields only.
    'PUT /api/v{api-version}/non-ascii-æøåÆØÅöôêÊ字符串 (required) was not sent: "body" must be an object',
    'PUT /api/v{api-version}/non-ascii-æøåÆØÅöôêÊ字符串 (all) was not sent: "body" must be an object',
  ],
  "readme-circular-paths-3.0.json": [
    // A list of objects in a header: `simple` has no form for nested values (RFC 6570 section 2.3).
    'PUT /anything (all) was not sent: "content"',
  ],
};
