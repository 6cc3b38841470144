import { alone, type Bench, beside, interleave, load, startChild, withPlace } from "./frame.ts";
import { openPath } from "./probes.ts";

/** The same small GET through our HTTP layer alone, through Hono alone, and through the whole product. */
export const http: Bench = ({ rounds, seconds, say }) => {
  say("our HTTP layer beside Hono");
  return withPlace("pglite", async (place) => {
    const programs = ["bench/peers/bare-http.ts", "bench/peers/hono.ts", "bench/product.ts"] as const;
    const [bare, hono, product] = await Promise.all(programs.map((program) => startChild(program, place)));
    try {
      const ask = (child: typeof bare) => () => load({ child: child!, path: openPath, seconds });
      const turns = await interleave(rounds, { bare: ask(bare), hono: ask(hono), product: ask(product) });
      return [
        ...alone("our HTTP layer alone", turns.bare),
        ...alone("Hono alone", turns.hono),
        ...alone("the product", turns.product),
        ...beside("our HTTP layer alone beside Hono alone", turns.bare, turns.hono),
        ...beside("the product beside Hono alone", turns.product, turns.hono),
      ];
    } finally {
      await Promise.all([bare, hono, product].map((child) => child?.stop()));
    }
  });
};
