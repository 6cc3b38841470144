import { lazyRouteComponent, type RouteComponent } from "@tanstack/react-router";

/** The files of a page did not arrive, because the server did not answer. */
export class PageUnreachableError extends Error {}

export type LoadPage = () => Promise<{ default: RouteComponent }>;

/** A page that is loaded when it is first opened. Its module exports it as default. */
export const loadPage = (page: LoadPage) => lazyRouteComponent(() => page().catch(explainMissing));

/** A server that answers has other files since an upgrade. The router reloads the page once for these words. */
async function explainMissing(error: unknown): Promise<never> {
  if (!(await isServerThere())) throw new PageUnreachableError();
  throw new Error(`Failed to fetch dynamically imported module: ${error}`);
}

/** Asks for a file that changes nothing and needs no session. */
export const isServerThere = (): Promise<boolean> =>
  fetch("/health", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
