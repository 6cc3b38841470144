import { SignatureKind, type Type } from "typescript/unstable/sync";
import type { Program } from "./program.ts";

/** An object with more properties is no set of parts of a statement. */
const mostProperties = 30;

/** Returns true for SQL, a function that returns it, and a list or an object that contains one of these. */
export function createSqlFinder({ checker }: Program) {
  const held = new Map<number, boolean>();

  function holdsSql(type: Type, depth = 0): boolean {
    const cached = held.get(type.id);
    if (cached !== undefined) return cached;
    held.set(type.id, false);
    const found = findSql(type, depth);
    held.set(type.id, found);
    return found;
  }

  function findSql(type: Type, depth: number): boolean {
    if (type.isUnionType()) return type.getTypes().some((one) => holdsSql(one, depth));
    if (type.getSymbol()?.name === "Sql") return true;
    if (depth > 2 || !type.isObjectType()) return false;
    if (checker.isArrayLikeType(type))
      return type.isTypeReference() && checker.getTypeArguments(type).some((one) => holdsSql(one, depth + 1));
    const results = checker
      .getSignaturesOfType(type, SignatureKind.Call)
      .flatMap((signature) => checker.getReturnTypeOfSignature(signature) ?? []);
    if (results.length > 0) return results.some((one) => holdsSql(one, depth + 1));
    const properties = checker.getPropertiesOfType(type);
    if (properties.length > mostProperties) return false;
    return checker.getTypeOfSymbol(properties).some((one) => one !== undefined && holdsSql(one, depth + 1));
  }

  return (type: Type) => holdsSql(type);
}
