import { h } from "vue";
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

/** The page for an unknown address, as the main part of its document. */
const notFound = () =>
  h("main", { class: "not-found" }, [
    h("h1", "Page not found"),
    h("p", ["Search for it, or ", h("a", { href: "/overview.html" }, "see all pages"), "."]),
  ]);

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": notFound }),
};

export default theme;
