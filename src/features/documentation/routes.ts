import { notFound } from "../../platform/errors.ts";
import { baseHeaders, on, pagePolicy, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { renderResults } from "./layout.ts";
import { renderReferencePage } from "./reference.ts";
import { documentationSite } from "./site.ts";

export const routes: readonly Route[] = [
  on(contract.home, async ({ state }, { headers }) => {
    const { files } = await state.get(documentationSite).read();
    return files.answer("index.html", headers);
  }),
  on(contract.reference, () => renderReferencePage()),
  on(contract.searchPage, async ({ state }, { query }) => {
    const { search } = await state.get(documentationSite).read();
    return new Response(renderResults(query.q, search.find(query.q)), {
      headers: {
        ...baseHeaders,
        "content-type": "text/html; charset=UTF-8",
        "content-security-policy": pagePolicy,
        "cache-control": "no-store",
      },
    });
  }),
  on(contract.search, async ({ state }, { query }) => {
    const { search } = await state.get(documentationSite).read();
    return { results: search.find(query.q) };
  }),
  on(contract.below, async ({ state }, { params, headers }) => {
    const { files } = await state.get(documentationSite).read();
    const path = params["*"];
    const candidates = path === "" ? ["index.html"] : [`${path}.html`, path];
    const file = candidates.find((name) => files.has(name));
    if (file === undefined) throw notFound("page");
    return files.answer(file, headers);
  }),
];
