import type { Ctx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { type HttpHeaders, on, pageFontPath, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { consoleFiles } from "./files.ts";
import { notBuiltPage } from "./pages.ts";

/** Every page is the same document; its script shows what the address asks for. */
function answerPage({ state, config }: Ctx, headers: HttpHeaders): Response | Promise<Response> {
  const files = state.get(consoleFiles).read()?.files;
  return files ? files.answer("index.html", headers) : notBuiltPage(config.publicUrl);
}

function answerFile({ state }: Ctx, path: string, headers: HttpHeaders): Promise<Response> {
  const files = state.get(consoleFiles).read()?.files;
  if (!files) throw notFound("file");
  return files.answer(path, headers);
}

/** The Latin letters of the console's font, under the name of its build. */
function answerFont({ state }: Ctx, headers: HttpHeaders): Promise<Response> {
  const { files, fontPath } = state.get(consoleFiles).read() ?? {};
  if (!files || fontPath === undefined) throw notFound("file");
  return files.answer(fontPath, headers);
}

export const routes: readonly Route[] = [
  on(contract.home, async (ctx, { headers }) => answerPage(ctx, headers)),
  on(contract.below(contract.fontPrefix), (ctx, { params, headers }) => {
    if (`${contract.fontPrefix}/${params["*"]}` !== pageFontPath) throw notFound("file");
    return answerFont(ctx, headers);
  }),
  ...contract.pagePrefixes.map((prefix) =>
    on(contract.below(prefix), async (ctx, { headers }) => answerPage(ctx, headers)),
  ),
  ...contract.filePrefixes.map((prefix) =>
    on(contract.below(prefix), (ctx, { params, headers }) => {
      const rest = params["*"];
      return answerFile(ctx, `${prefix.slice(1)}${rest ? `/${rest}` : ""}`, headers);
    }),
  ),
];
