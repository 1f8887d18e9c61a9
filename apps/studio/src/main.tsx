import { render } from "preact";
import "./style/studio.css";
import { startSession } from "./api/session.ts";
import { startNavigation } from "./navigation/location.ts";
import { startPreferences } from "./navigation/preferences.ts";
import { App } from "./shell/app.tsx";

startPreferences();
// The code of the start link is removed from the address before anything reads it.
const started = startSession();
startNavigation();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
await started;
