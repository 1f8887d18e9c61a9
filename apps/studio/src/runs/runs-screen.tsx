/** Runs. */
export function RunsScreen({ id }: { id?: string }) {
  return <p>{id}</p>;
}
