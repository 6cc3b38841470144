import { lazy } from "react";

/** After the page and what it reads, and soon enough before an upgrade of the server. */
const loadAfterMs = 3_000;

/**
 * A part that most pages never show. Its file is loaded after the page, and not when it is needed: an upgrade may have
 * removed it by then, or the server is away, and the page would fail with everything that was typed.
 */
export const lazyPart: typeof lazy = (load) => {
  setTimeout(() => void load().catch(() => {}), loadAfterMs);
  return lazy(load);
};
