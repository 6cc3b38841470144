import type { FieldGuide } from "../../platform/http/index.ts";

export const fields: FieldGuide = {
  "getDocsSearchJson.results": ["The passages that were found, the best first."],
  "getDocsSearchJson.results.page": ["The name of the page in the menu.", "Operations"],
  "getDocsSearchJson.results.section": ["The section of the menu.", "Operation"],
  "getDocsSearchJson.results.heading": ["The heading of the passage.", "Rotating the secret"],
  "getDocsSearchJson.results.url": ["The address of the passage.", "/docs/operations#rotating-the-secret"],
  "getDocsSearchJson.results.excerpt": [
    "A part of the text around the words.",
    "To change SIGNALBOX_SECRET while serving: Create a new secret…",
  ],
};
