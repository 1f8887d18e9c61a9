import { render } from "preact";
import type { JsonSchema } from "@toolweave/core";
import "../../../src/style/studio.css";
import "./page.css";
import { Form } from "../../../src/form/form.ts";
import { SchemaForm, type SuppliedParameter } from "../../../src/form/schema-form.tsx";

/** The page, as tests use it. */
export interface FormPage {
  show(schema: JsonSchema, text?: string, injected?: readonly SuppliedParameter[]): void;
  form: Form | undefined;
}

const root = document.getElementById("app");
const page: FormPage = {
  form: undefined,
  show(schema, text, injected = []) {
    if (root === null) return;
    const form = new Form(text === undefined ? { schema } : { schema, text });
    page.form = form;
    render(
      <SchemaForm key={form.id} form={form} label="Arguments of example" injected={injected} />,
      root,
    );
  },
};
(globalThis as unknown as { page: FormPage }).page = page;
