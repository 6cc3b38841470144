import type { Db } from "../../../platform/db/index.ts";
import type { ScimCtx } from "../calls/index.ts";
import type { Definition } from "../definitions/index.ts";
import { type Resource, writeTag } from "../messages/index.ts";
import { createBaseUrl } from "../protocol.ts";
import { type Attributes, type Projection, readProjection, writeResource } from "../resources/index.ts";

/** The query parameters that choose attributes of the reply. */
export type Asked = Parameters<typeof readProjection>[1];

/** A resource and its version, for the headers. */
export interface Answer {
  resource: Resource;
  version: string;
  location: string;
}

export interface WritableRow {
  id: string;
  resource: object;
  version: string;
  createdAt: number;
  updatedAt: number;
}

interface WriterOptions<Row extends WritableRow> {
  definition: Definition;
  path: "Users" | "Groups";
  /** Returns a function that adds what is not in the row itself, such as the members of a group. */
  readMore(
    ctx: ScimCtx,
    db: Db,
    rows: readonly Row[],
    projection: Projection,
  ): Promise<(row: Row) => Attributes>;
}

/** Writes rows of one kind as resources of the protocol. */
export function createWriter<Row extends WritableRow>({ definition, path, readMore }: WriterOptions<Row>) {
  const locate = ({ config }: ScimCtx, id: string) => `${createBaseUrl(config)}/${path}/${id}`;

  async function writeRows(
    ctx: ScimCtx,
    db: Db,
    rows: readonly Row[],
    projection: Projection,
  ): Promise<Resource[]> {
    const findMore = await readMore(ctx, db, rows, projection);
    return rows.map((row) => {
      const { id, resource, version, createdAt, updatedAt } = row;
      const meta = {
        resourceType: definition.name,
        created: new Date(createdAt).toISOString(),
        lastModified: new Date(updatedAt).toISOString(),
        location: locate(ctx, id),
        version: writeTag(version),
      };
      const whole: Attributes = { ...resource, id, ...findMore(row), meta };
      return writeResource(definition, whole, projection) as Resource;
    });
  }

  async function answer(ctx: ScimCtx, db: Db, row: Row, asked: Asked): Promise<Answer> {
    const [resource] = await writeRows(ctx, db, [row], readProjection(definition, asked));
    return { resource: resource!, version: row.version, location: locate(ctx, row.id) };
  }

  return { writeRows, answer };
}
