import { describeContentType, isObject, readJson } from "../json.ts";
import type { DiscoveryState } from "../state.ts";
import { getDocument, type PlannedRequest } from "./http.ts";
import type { MetadataOutcome } from "./outcomes.ts";

/** Fetches a metadata document, which must be a JSON object. */
export async function fetchMetadata(
  state: DiscoveryState,
  request: PlannedRequest,
): Promise<MetadataOutcome> {
  const { address, entry, ...sent } = await getDocument(state, request);
  if ("failed" in sent) {
    const { failure, explanation } = sent.failed;
    return { address, entry, kind: "absent", why: explanation, failure };
  }
  const { status, headers } = sent.reply;
  if (status !== 200) return { address, entry, kind: "absent", why: `answered ${status}`, status };
  const json = readJson(sent.reply.text());
  if (json.ok && isObject(json.value)) return { address, entry, kind: "document", document: json.value };
  const type = describeContentType(headers["content-type"]?.[0]);
  const why = json.ok ? "answered JSON that is not an object" : `answered 200, but not with JSON (${type})`;
  return { address, entry, kind: "absent", why, status };
}
