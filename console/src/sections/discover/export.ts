import { saveFile } from "../../lib/save-file.ts";
import type { ShownDiscovery } from "./types.ts";
import { findHost } from "./verdict-words.ts";

/** Saves a verdict as a file, in the form of `POST /v1/mcp-connections/discover?include=evidence`. */
export function exportDiscovery({ url, result, evidence }: ShownDiscovery): void {
  const text = JSON.stringify({ ...result, evidence }, null, 2);
  const name = `discovery-${findHost(url).replace(/[^\w.-]+/g, "-")}.json`;
  saveFile(name, new Blob([text], { type: "application/json" }));
}
