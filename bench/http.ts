import { measureRequests } from "./load.ts";
import {
  type Bench,
  compare,
  interleave,
  splitTurns,
  startChild,
  summarize,
  withInstance,
} from "./measure.ts";
import { openPath } from "./probes.ts";

/** The same small GET through our HTTP layer alone, through Hono alone, and through the whole product. */
export const http: Bench = (options) => {
  const { rounds, seconds, logProgress } = splitTurns(options);
  logProgress("our HTTP layer beside Hono");
  return withInstance("pglite", async (place) => {
    const programs = ["bench/peers/bare-http.ts", "bench/peers/hono.ts", "bench/product.ts"] as const;
    const [bare, hono, product] = await Promise.all(programs.map((program) => startChild(program, place)));
    try {
      const ask = (child: typeof bare) => () => measureRequests({ child: child!, path: openPath, seconds });
      const turns = await interleave(rounds, { bare: ask(bare), hono: ask(hono), product: ask(product) });
      return [
        ...summarize("our HTTP layer alone", turns.bare),
        ...summarize("Hono alone", turns.hono),
        ...summarize("the product", turns.product),
        ...compare("our HTTP layer alone beside Hono alone", turns.bare, turns.hono),
        ...compare("the product beside Hono alone", turns.product, turns.hono),
      ];
    } finally {
      await Promise.all([bare, hono, product].map((child) => child?.stop()));
    }
  });
};
