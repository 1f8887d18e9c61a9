/** After the help of `toolweave`. */
export const examples = `
Examples:
  $ toolweave inspect --openapi https://petstore3.swagger.io/api/v3/openapi.json
  $ toolweave call get_pet_by_id petId=7 --openapi openapi.yaml

\`toolweave <command> --help\` has more of them.
`;

/** After the help of `toolweave inspect`. */
export const inspectExamples = `
Examples:
  $ toolweave inspect --openapi openapi.yaml
  $ toolweave inspect --openapi https://api.example.com/openapi.json --filter 'list_*'
  $ toolweave inspect --openapi openapi.yaml --filter get_pet    # and the arguments of this one
  $ toolweave inspect --openapi openapi.yaml --json | jq '.tools[].name'

"asks first" marks the calls that a person has to approve, unless --yes does.
`;

/** After the help of \`toolweave call\`. */
export const callExamples = `
Examples:
  $ toolweave call get_pet id=7 --openapi openapi.yaml
  $ toolweave call add_pet name=Rex tags=dog tags=big owner.name=Ada --yes --openapi openapi.yaml
  $ toolweave call add_pet --args @pet.json --json --openapi openapi.yaml
  $ toolweave call list_repos --auth 'bearer:$GITHUB_TOKEN' --openapi github.json

A value of --auth or --header that is $NAME, in single quotes, is read from the environment, so that
no secret stands in the list of processes or in the shell's history.
`;
