export { keepFresh } from "./jobs.ts";
export { activeRefreshes } from "./refresh.ts";
export { routes } from "./routes.ts";
export { sealedTokens, sealTokens } from "./sealing.ts";
export {
  insert as insertToken,
  removeOverOfAll as removeOverTokensOfAll,
  retire as retireToken,
} from "./store.ts";
