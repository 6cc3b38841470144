import { type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";
import { NotAnalysable } from "./values.ts";

/** What a declared type says about a value. `unknown` says nothing. */
export type Kind =
  | "string"
  | "number"
  | "boolean"
  | "bigint"
  | "date"
  | "bytes"
  | "object"
  | "unknown"
  | { list: Kind[] };

export interface DeclaredColumn {
  kinds: Kind[];
  nullable: boolean;
  /** The statement may leave it out. */
  optional: boolean;
  /** The type as it is written. */
  text: string;
}

/** Returns the columns of a row type, or undefined for `unknown`, which declares nothing. */
export function readRowType(
  checker: Checker,
  type: Type,
  typeArguments: ReadonlyMap<number, Type>,
): Map<string, DeclaredColumn> | undefined {
  if (type.flags & TypeFlags.Unknown) return undefined;
  const columns = new Map<string, DeclaredColumn>();
  for (const one of split(type, typeArguments))
    for (const [name, column] of readObject(checker, one)) columns.set(name, column);
  return columns;
}

/** An intersection with a type parameter is read part by part. */
function split(type: Type, typeArguments: ReadonlyMap<number, Type>): Type[] {
  if (type.isTypeParameter()) {
    const given = typeArguments.get(type.id);
    if (!given) throw new NotAnalysable("the row type is a type parameter");
    return [given];
  }
  return type.isIntersectionType() ? type.getTypes().flatMap((one) => split(one, typeArguments)) : [type];
}

function readObject(checker: Checker, type: Type): Map<string, DeclaredColumn> {
  if (type.isUnionType()) return mergeOptions(type.getTypes().map((one) => readObject(checker, one)));
  const isObject = type.isObjectType() || type.isIntersectionType();
  if (!isObject || checker.getIndexInfosOfType(type).length > 0)
    throw new NotAnalysable(`the row type \`${checker.typeToString(type)}\` does not name its columns`);
  const properties = checker.getPropertiesOfType(type);
  const types = checker.getTypeOfSymbol(properties);
  return new Map(
    properties.map(({ name, flags }, i) => {
      const parts = new Set<Type>();
      flatten(types[i]!, parts);
      const all = [...parts];
      return [
        name,
        {
          kinds: all
            .filter(({ flags }) => !(flags & TypeFlags.Nullable))
            .map((one) => readKind(checker, one)),
          nullable: all.some(({ flags }) => flags & TypeFlags.Null),
          optional: (flags & SymbolFlags.Optional) !== 0,
          text: checker.typeToString(types[i]!),
        },
      ];
    }),
  );
}

/** All rows of a statement have the same columns, so each option must fit. A column that an option lacks may be null. */
function mergeOptions(options: Map<string, DeclaredColumn>[]): Map<string, DeclaredColumn> {
  const names = new Set(options.flatMap((option) => [...option.keys()]));
  return new Map(
    [...names].map((name) => {
      const found = options.flatMap((option) => option.get(name) ?? []);
      return [
        name,
        {
          kinds: found.flatMap(({ kinds }) => kinds),
          nullable: found.length < options.length || found.some(({ nullable }) => nullable),
          optional: found.some(({ optional }) => optional),
          text: found.map(({ text }) => text).join(" | "),
        },
      ];
    }),
  );
}

function flatten(type: Type, into: Set<Type>): void {
  if (type.isUnionType()) for (const one of type.getTypes()) flatten(one, into);
  else into.add(type);
}

function readKind(checker: Checker, type: Type): Kind {
  const { flags } = type;
  if (flags & TypeFlags.Unknown) return "unknown";
  if (flags & TypeFlags.StringLike) return "string";
  if (flags & TypeFlags.NumberLike) return "number";
  if (flags & TypeFlags.BooleanLike) return "boolean";
  if (flags & TypeFlags.BigIntLike) return "bigint";
  if (type.isIntersectionType()) {
    const kinds = type.getTypes().map((one) => readKind(checker, one));
    return kinds.find((kind) => kind !== "object") ?? "object";
  }
  if (checker.isArrayLikeType(type) && type.isTypeReference()) {
    const elements = new Set<Type>();
    for (const one of checker.getTypeArguments(type)) flatten(one, elements);
    return { list: [...elements].map((one) => readKind(checker, one)) };
  }
  const name = type.getSymbol()?.name;
  if (name === "Date") return "date";
  if (name === "Buffer" || name === "Uint8Array") return "bytes";
  if (type.isObjectType() || flags & TypeFlags.NonPrimitive) return "object";
  throw new NotAnalysable(`the type \`${checker.typeToString(type)}\` of a column is not known`);
}
