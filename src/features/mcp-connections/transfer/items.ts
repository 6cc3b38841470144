import { redactUrl } from "@signalbox/discovery";
import type { ImportItem } from "./contract.ts";
import { type FileServer, listPlaceholders, showTemplate } from "./files/index.ts";

/** A server as a preview shows it: without the values of its headers. */
export function toItem(server: FileServer): Omit<ImportItem, "existing"> {
  const { key, name, url, headers, notes, problem } = server;
  return {
    ...{ key, name, notes, problem },
    url: url && showUrl(url),
    // Headers are sent with every request, as a token is.
    registration: headers.some(({ optional }) => !optional) ? "bearer" : null,
    headers: headers.map((header) => header.name),
    missing: listMissing(server),
  };
}

function showUrl(url: NonNullable<FileServer["url"]>): string {
  const shown = showTemplate(url);
  return listPlaceholders([url]).length > 0 ? shown : redactUrl(shown);
}

function listMissing({ url, headers, hints }: FileServer): ImportItem["missing"] {
  const inUrl = new Set(listPlaceholders(url ? [url] : []).map(({ name }) => name));
  const required = new Set(
    listPlaceholders([
      ...(url ? [url] : []),
      ...headers.filter(({ optional }) => !optional).map(({ value }) => value),
    ]).map(({ name }) => name),
  );
  return listPlaceholders([...(url ? [url] : []), ...headers.map(({ value }) => value)]).map(
    ({ name, fallback }) => ({
      name,
      description: hints.get(name)?.description ?? null,
      // Without a word of the file, a value of a header counts as a secret.
      secret: hints.get(name)?.secret ?? !inUrl.has(name),
      optional: fallback !== undefined || !required.has(name),
    }),
  );
}
