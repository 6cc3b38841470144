export { createResolver, type Resolve, type ResolvedAddress, type ResolverOptions } from "./resolver.ts";
