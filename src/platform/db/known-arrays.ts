import { PGlite, types } from "@electric-sql/pglite";

/** Built-in types and the types of their arrays. PostgreSQL never changes these numbers. */
export const arrayTypes: ReadonlyMap<number, number> = new Map([
  [types.BOOL, 1000],
  [types.BYTEA, 1001],
  [types.CHAR, 1002],
  [19, 1003], // name
  [types.INT2, 1005],
  [types.INT4, 1007],
  [types.TEXT, 1009],
  [types.INT8, 1016],
  [types.OID, 1028],
  [types.TID, 1010],
  [types.FLOAT4, 1021],
  [types.FLOAT8, 1022],
  [types.BPCHAR, 1014],
  [types.VARCHAR, 1015],
  [types.DATE, 1182],
  [types.TIMESTAMP, 1115],
  [types.TIMESTAMPTZ, 1185],
  [types.NUMERIC, 1231],
  [types.UUID, 2951],
  [types.JSON, 199],
  [types.JSONB, 3807],
]);

type Serializer = PGlite["serializers"][number];
type Parser = PGlite["parsers"][number];

/**
 * The engine without a query that it sends at each start, to find the types of all arrays. The query takes a tenth of
 * the time of a start, and we use few of these types.
 */
export class PgliteWithKnownArrays extends PGlite {
  override async _initArrayTypes(): Promise<void> {
    for (const [element, array] of arrayTypes) {
      const serialize: Serializer = (items) => types.arraySerializer(items, this.serializers[element], array);
      const parse: Parser = (text) => types.arrayParser(text, this.parsers[element]!, array);
      this.serializers[array] = serialize;
      this.parsers[array] = parse;
    }
  }
}
