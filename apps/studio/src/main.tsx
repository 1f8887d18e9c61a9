import { render } from "preact";
import "./style/studio.css";
import { App } from "./shell/app.tsx";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
