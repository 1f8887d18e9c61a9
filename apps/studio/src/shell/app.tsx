/** The page: navigation and the screen of the current address. */
export function App() {
  return <main>Toolweave Studio</main>;
}
