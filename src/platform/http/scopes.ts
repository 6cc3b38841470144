import type { Caller } from "../context.ts";
import { insufficientScope } from "../errors.ts";

/**
 * Refuses a caller whose credential does not have all the scopes. A credential without scopes, such as a session, has
 * none of them: a route that requires scopes accepts only credentials that carry them.
 */
export function checkScopes(required: readonly string[], caller: Caller | undefined): void {
  const granted = caller?.scopes ?? [];
  if (!required.every((scope) => granted.includes(scope))) throw insufficientScope(required);
}
