export type { CatalogueModel, CataloguePrice, NamePattern, Rate, Rates } from "./data.ts";
export { loadCatalogue } from "./data.ts";
export { findModel, findPriceAt, guessProvider, normalizeModel } from "./find.ts";
export { findKind, type KindName, kindNames, type ProviderKind, providerKinds } from "./kinds.ts";
