import { isId } from "../../../platform/ids.ts";
import { invalidValue, scimError } from "../errors.ts";
import type { SearchRequest } from "../search/index.ts";
import type { ListQuery, ListResponse, Resource, SearchBody } from "./contract.ts";

const defaultCount = 100;
export const maxCount = 500;

/** The list that a request asks for, by query or by the body of `.search`. */
export interface ListRequest extends Pick<SearchRequest, "filter" | "sortBy" | "sortOrder" | "page"> {
  attributes?: string;
  excludedAttributes?: string;
  /** True for pages by cursor. */
  byCursor: boolean;
}

function readNumber(name: string, given: string | number | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(String(given))) throw invalidValue(`\`${name}\` must be a whole number.`);
  return Number(given);
}

const encodeCursor = (id: string) => Buffer.from(id).toString("base64url");

function decodeCursor(prefix: string, cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (!isId(prefix, id) || encodeCursor(id) !== cursor)
    throw scimError(400, "invalidCursor", "The cursor is not valid. Start again with an empty cursor.");
  return id;
}

type Given = Pick<
  ListQuery,
  "filter" | "sortBy" | "sortOrder" | "cursor" | "attributes" | "excludedAttributes"
> & {
  startIndex?: string | number | undefined;
  count?: string | number | undefined;
};

/** `prefix` is that of the ids of the resources. */
export function readListRequest(prefix: string, given: Given): ListRequest {
  const { cursor } = given;
  const startIndex = Math.max(1, readNumber("startIndex", given.startIndex) ?? 1);
  const limit = Math.min(maxCount, Math.max(0, readNumber("count", given.count) ?? defaultCount));
  const byCursor = cursor !== undefined;
  if (byCursor && given.startIndex !== undefined)
    throw invalidValue("Use either `cursor` or `startIndex`, not both.");
  if (byCursor && limit === 0)
    throw scimError(400, "invalidCount", "With a cursor, `count` must be at least 1.");
  const keys = ["filter", "sortBy", "sortOrder", "attributes", "excludedAttributes"] as const;
  return {
    ...Object.fromEntries(keys.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]))),
    byCursor,
    page: {
      offset: byCursor ? 0 : startIndex - 1,
      // The first page begins after the empty text, which is before every id. So it has the same rules as other pages.
      ...(byCursor ? { afterId: cursor === "" ? "" : decodeCursor(prefix, cursor) } : {}),
      limit,
    },
  };
}

/** The body of `.search` has the same fields, with lists where a query has commas. */
export const readSearchBody = (
  prefix: string,
  { attributes, excludedAttributes, ...rest }: SearchBody,
): ListRequest =>
  readListRequest(prefix, {
    ...rest,
    ...(attributes ? { attributes: attributes.join(",") } : {}),
    ...(excludedAttributes ? { excludedAttributes: excludedAttributes.join(",") } : {}),
  });

/** `lastId` is the id of the last resource of the page, if more may follow. */
export function writeList(
  { byCursor, page }: ListRequest,
  total: number,
  resources: Resource[],
  lastId: string | undefined,
): ListResponse {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    ...(byCursor ? {} : { startIndex: page.offset + 1 }),
    itemsPerPage: resources.length,
    ...(byCursor && lastId !== undefined ? { nextCursor: encodeCursor(lastId) } : {}),
    Resources: resources,
  };
}
