export { keepFresh } from "./jobs.ts";
export { routes } from "./routes.ts";
export { sealTokens } from "./sealing.ts";
export {
  insert as insertToken,
  removeOverOfAll as removeOverTokensOfAll,
  retire as retireToken,
} from "./store.ts";

/** What `signalbox reseal` walks. */
export const sealedTokens = ["access_token", "refresh_token"].map((column) => ({
  table: "oauth_tokens",
  id: "id",
  column,
}));
